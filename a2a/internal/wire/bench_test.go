package wire

import (
	"testing"
)

// answers are what agents of 1.0 commonly say.
var answers = map[string]string{
	"a task": `{"task":{"id":"7d9e1c1e-8f0a-4c63-9d35-2b1f0f6a7c11","contextId":"0c3a4a52-93f6-4f0e-8ab1-6c6d0a3f8f02",` +
		`"status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-01-02T03:04:05.678Z"},` +
		`"artifacts":[{"artifactId":"echo","name":"echo.txt","parts":[{"text":"hello","mediaType":"text/plain"}]}],` +
		`"history":[{"messageId":"m-1","contextId":"0c3a4a52-93f6-4f0e-8ab1-6c6d0a3f8f02","taskId":"7d9e1c1e-8f0a-4c63-9d35-2b1f0f6a7c11",` +
		`"role":"ROLE_USER","parts":[{"text":"hello"}]}]}}`,
	"an artifact": `{"artifactUpdate":{"taskId":"7d9e1c1e-8f0a-4c63-9d35-2b1f0f6a7c11","contextId":"0c3a4a52-93f6-4f0e-8ab1-6c6d0a3f8f02",` +
		`"artifact":{"artifactId":"echo","name":"echo.txt","parts":[{"text":"hello"}]},"lastChunk":true}}`,
	"a status": `{"statusUpdate":{"taskId":"7d9e1c1e-8f0a-4c63-9d35-2b1f0f6a7c11","contextId":"0c3a4a52-93f6-4f0e-8ab1-6c6d0a3f8f02",` +
		`"status":{"state":"TASK_STATE_WORKING","timestamp":"2026-01-02T03:04:05.678Z","message":{"messageId":"m-2","role":"ROLE_AGENT","parts":[{"text":"working"}]}}}}`,
}

func BenchmarkDecode(b *testing.B) {
	for name, answer := range answers {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := v10.DecodeAnswer([]byte(answer)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
