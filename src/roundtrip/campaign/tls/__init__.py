"""Encryption of what clients and brokers say: CipherSpecs, keys, and what was in effect."""
