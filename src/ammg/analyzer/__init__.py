"""The Initial Microdata Analyzer: roles and kinds proposed, each with its reason. A person decides."""
