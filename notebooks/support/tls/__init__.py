"""The chapter on TLS: what was published, what campaigns measured."""
