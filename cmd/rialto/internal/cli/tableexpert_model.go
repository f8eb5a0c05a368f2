package cli

import (
	"errors"
	"net/http"
	"os"
	"time"

	"rialto/cmd/rialto/internal/tableexpert"
)

// The variables that name the language model of the Table Expert. Its address may
// be in a private network.
const (
	modelURLEnv  = "RIALTO_TABLEEXPERT_MODEL_URL"
	modelNameEnv = "RIALTO_TABLEEXPERT_MODEL"
	modelKeyEnv  = "RIALTO_TABLEEXPERT_MODEL_KEY"
)

// tableExpertModel returns the model that the environment names; nil if it names none.
func tableExpertModel() (*tableexpert.Model, error) {
	address := os.Getenv(modelURLEnv)
	name := os.Getenv(modelNameEnv)
	if address == "" && name == "" {
		return nil, nil
	}
	if !isWebAddress(address) {
		return nil, errors.New(
			modelURLEnv + ": set it to the base URL of an endpoint compatible with OpenAI's chat completions, such as https://models.example.com/v1",
		)
	}
	if name == "" {
		return nil, errors.New(modelNameEnv + ": set it to the name of the model at " + modelURLEnv)
	}

	return &tableexpert.Model{
		URL: address, Name: name, Key: os.Getenv(modelKeyEnv),
		Client: &http.Client{Timeout: time.Minute},
	}, nil
}
