"""The web server: an HTTP API over the same verbs as the command line, and the dashboard that uses it."""
