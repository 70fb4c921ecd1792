"""What the chapter on WebSphere MQ V7 on AIX needs of its own."""
