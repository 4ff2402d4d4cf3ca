this text is never read
