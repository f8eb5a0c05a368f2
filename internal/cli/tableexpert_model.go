package cli

import (
	"errors"
	"net/http"
	"net/url"
	"os"
	"time"

	"rialto/internal/tableexpert"
)

// The variables that name the language model of the Table Expert. Its address
// is the operator's own, often on loopback or in the same network.
const (
	modelURLEnv  = "RIALTO_TABLEEXPERT_MODEL_URL"
	modelNameEnv = "RIALTO_TABLEEXPERT_MODEL"
	modelKeyEnv  = "RIALTO_TABLEEXPERT_MODEL_KEY"
)

// tableExpertModel returns the model that the environment names, nil if none.
func tableExpertModel() (*tableexpert.Model, error) {
	address, name := os.Getenv(modelURLEnv), os.Getenv(modelNameEnv)
	if address == "" && name == "" {
		return nil, nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New(modelURLEnv + ": set it to the base of an endpoint that is compatible with OpenAI's chat completions, such as https://models.example.com/v1")
	}
	if name == "" {
		return nil, errors.New(modelNameEnv + ": set it to the name of the model that " + modelURLEnv + " is to use")
	}
	return &tableexpert.Model{
		URL: address, Name: name, Key: os.Getenv(modelKeyEnv),
		Client: &http.Client{Timeout: time.Minute},
	}, nil
}
