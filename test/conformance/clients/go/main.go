// Google's, OpenAI's and Anthropic's libraries for Go: text and a tool, streamed, with and without silences, and requests
// that are rejected for good.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	openaioption "github.com/openai/openai-go/v3/option"
	"google.golang.org/genai"
)

type place struct{ when, origin, key string }

var models = []string{"gpt-conformance", "claude-conformance", "gemini-conformance"}
var failed = false

func check(name string, work func() error) {
	if err := work(); err != nil {
		failed = true
		fmt.Printf("FAIL  %s\n      %v\n", name, err)
		return
	}
	fmt.Printf("ok    %s\n", name)
}

func includes(text, wanted string) error {
	if strings.Contains(text, wanted) {
		return nil
	}
	return fmt.Errorf("expected %q in %q", wanted, text)
}

func withGenai(at place, model string) error {
	ctx := context.Background()
	client, err := genai.NewClient(ctx, &genai.ClientConfig{
		APIKey: at.key, Backend: genai.BackendGeminiAPI, HTTPOptions: genai.HTTPOptions{BaseURL: at.origin},
	})
	if err != nil {
		return err
	}
	text := ""
	for answer, err := range client.Models.GenerateContentStream(ctx, model, genai.Text("say quince and pear"), nil) {
		if err != nil {
			return err
		}
		text += answer.Text()
	}
	return includes(text, "quince")
}

func withGenaiTool(at place, model string) error {
	ctx := context.Background()
	client, err := genai.NewClient(ctx, &genai.ClientConfig{
		APIKey: at.key, Backend: genai.BackendGeminiAPI, HTTPOptions: genai.HTTPOptions{BaseURL: at.origin},
	})
	if err != nil {
		return err
	}
	schema := map[string]any{"type": "object", "properties": map[string]any{"city": map[string]any{"type": "string"}}}
	weather := &genai.FunctionDeclaration{Name: "weather", ParametersJsonSchema: schema}
	config := &genai.GenerateContentConfig{Tools: []*genai.Tool{{FunctionDeclarations: []*genai.FunctionDeclaration{weather}}}}
	contents := genai.Text(`use weather {"city":"Paris"}`)
	said := &genai.Content{Role: "model"}
	var call *genai.FunctionCall
	for answer, err := range client.Models.GenerateContentStream(ctx, model, contents, config) {
		if err != nil {
			return err
		}
		for _, found := range answer.FunctionCalls() {
			call = found
		}
		if content := answer.Candidates[0].Content; content != nil {
			for _, part := range content.Parts {
				// The library writes an empty text as a part without any data, which Google rejects.
				if part.Text != "" || part.FunctionCall != nil {
					said.Parts = append(said.Parts, part)
				}
			}
		}
	}
	if call == nil || call.Args["city"] != "Paris" {
		return fmt.Errorf("no call: %v", call)
	}
	result := &genai.FunctionResponse{ID: call.ID, Name: "weather", Response: map[string]any{"output": "sunny in Paris"}}
	contents = append(contents, said, &genai.Content{Role: "user", Parts: []*genai.Part{{FunctionResponse: result}}})
	answer, err := client.Models.GenerateContent(ctx, model, contents, config)
	if err != nil {
		return err
	}
	return includes(answer.Text(), "sunny in Paris")
}

func withOpenai(at place, model string) error {
	client := openai.NewClient(openaioption.WithBaseURL(at.origin+"/v1"), openaioption.WithAPIKey(at.key))
	stream := client.Chat.Completions.NewStreaming(context.Background(), openai.ChatCompletionNewParams{
		Model: model, Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("say quince and pear")},
	})
	text := ""
	for stream.Next() {
		for _, choice := range stream.Current().Choices {
			text += choice.Delta.Content
		}
	}
	if stream.Err() != nil {
		return stream.Err()
	}
	return includes(text, "quince")
}

func withAnthropic(at place, model string) error {
	client := anthropic.NewClient(anthropicoption.WithBaseURL(at.origin), anthropicoption.WithAPIKey(at.key))
	stream := client.Messages.NewStreaming(context.Background(), anthropic.MessageNewParams{
		Model: anthropic.Model(model), MaxTokens: 1000,
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("say quince and pear"))},
	})
	message := anthropic.Message{}
	for stream.Next() {
		if err := message.Accumulate(stream.Current()); err != nil {
			return err
		}
	}
	if stream.Err() != nil {
		return stream.Err()
	}
	return includes(message.Content[0].Text, "quince")
}

// rejected expects an error that says why, and no more than one request, answered with this status.
func rejected(work func(place, string) error, at place, model, status, says string) error {
	if _, err := statusesSeen(); err != nil {
		return err
	}
	failure := work(at, model)
	statuses, err := statusesSeen()
	if err != nil {
		return err
	}
	if !strings.Contains(messageOf(failure), says) {
		return fmt.Errorf("expected %q in %v", says, failure)
	}
	if statuses != status {
		return fmt.Errorf("answered %q: %v", statuses, failure)
	}
	return nil
}

// messageOf returns what the gateway said: openai-go prints the status alone, and keeps the message in a field.
func messageOf(err error) string {
	var failure *openai.Error
	if errors.As(err, &failure) {
		return failure.Message
	}
	return fmt.Sprint(err)
}

// statusesSeen returns the statuses of the answers to POST requests since the last call.
func statusesSeen() (string, error) {
	answer, err := http.Get(os.Getenv("TOLLGATE_COUNTED_ORIGIN") + "/-/statuses")
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return string(text), err
}

func main() {
	places := []place{
		{"", os.Getenv("TOLLGATE_ORIGIN"), os.Getenv("TOLLGATE_KEY")},
		{" after silences", os.Getenv("TOLLGATE_SILENT_ORIGIN"), os.Getenv("TOLLGATE_SILENT_KEY")},
	}
	for _, model := range models {
		for _, at := range places {
			check("genai: streamed"+at.when+" on "+model, func() error { return withGenai(at, model) })
			check("genai: a tool round trip"+at.when+" on "+model, func() error { return withGenaiTool(at, model) })
			check("openai-go: streamed"+at.when+" on "+model, func() error { return withOpenai(at, model) })
			check("anthropic-sdk-go: streamed"+at.when+" on "+model, func() error { return withAnthropic(at, model) })
		}
	}
	counted := os.Getenv("TOLLGATE_COUNTED_ORIGIN")
	for _, rejection := range []struct{ status, why, key, model, says string }{
		{"401", "a wrong key", "sk-tg-nobody", models[0], "Incorrect API key"},
		{"402", "no money", os.Getenv("TOLLGATE_EMPTY_KEY"), models[0], "balance is $0.00"},
		{"404", "an unknown model", os.Getenv("TOLLGATE_KEY"), "gpt-nobody", "does not exist or is not enabled"},
	} {
		for _, library := range []struct {
			name string
			work func(place, string) error
		}{{"genai", withGenai}, {"openai-go", withOpenai}, {"anthropic-sdk-go", withAnthropic}} {
			name := fmt.Sprintf("%s: %s (%s) is reported and not repeated", library.name, rejection.status, rejection.why)
			at := place{"", counted, rejection.key}
			check(name, func() error { return rejected(library.work, at, rejection.model, rejection.status, rejection.says) })
		}
	}
	if failed {
		os.Exit(1)
	}
}
