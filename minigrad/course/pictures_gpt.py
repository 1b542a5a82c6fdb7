"""The pictures of a GPT's run: how it learned, and which character looks at which."""
