"""The pages *Judge* and *Endpoints*: protocol, prompt, model, scope, start."""
