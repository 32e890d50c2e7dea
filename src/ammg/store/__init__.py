"""A team's work: people, projects and their versions, data sets, jobs, results, reviews, releases, the audit log.

Every function takes the store and the person who asks, checks their rights, and returns values; the web application and
the command line call the same functions. The package is imported as a whole by code that opens a store.
"""
