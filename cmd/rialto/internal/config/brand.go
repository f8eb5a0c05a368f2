package config

import (
	"fmt"
	"os"

	"rialto/static"
)

// Brand sets the look of the pages.
type Brand struct {
	Logo   string `koanf:"logo"`   // a file
	Accent string `koanf:"accent"` // #rrggbb
}

// Load reads the logo and computes the colors. The name is that of the product.
func (c Brand) Load(name string) (static.Brand, error) {
	logo, err := c.readLogo()
	if err != nil {
		return static.Brand{}, fmt.Errorf("brand.logo: %w", err)
	}
	b, err := static.NewBrand(name, c.Accent, logo)
	if err != nil {
		return static.Brand{}, fmt.Errorf("brand: %w", err)
	}
	return b, nil
}

// check returns what is wrong with the logo or the color.
func (c Brand) check() error {
	_, err := c.Load("")
	return err
}

func (c Brand) readLogo() ([]byte, error) {
	if c.Logo == "" {
		return nil, nil
	}
	return os.ReadFile(c.Logo)
}
