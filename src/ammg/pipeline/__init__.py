"""The Masked Microdata Generator: binds methods to an engine and does once what belongs to all methods."""
