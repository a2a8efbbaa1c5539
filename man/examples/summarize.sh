#!/bin/sh
# summarize.sh: ask an endpoint of OpenAI Chat Completions for a summary
jq -Rs '{model: "local", messages: [{role: "user", content: .}]}' |
	curl -fsS "$ENDPOINT/v1/chat/completions" \
	    -H 'content-type: application/json' -d @- |
	jq -er '.choices[0].message.content'
