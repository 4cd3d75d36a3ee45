// Google's, OpenAI's and Anthropic's libraries for Go: text and a tool, streamed, with and without silences.
package main

import (
	"context"
	"fmt"
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
				// The library writes an empty text as a part without any data, which Google refuses.
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
	if failed {
		os.Exit(1)
	}
}
