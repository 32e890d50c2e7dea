"""What a team keeps: people, projects and their versions, data sets, jobs, results, reviews, releases, the audit log.

Every function takes the store and the person who asks, checks their rights, and returns values; the web and the command
line call the same ones. It is loaded as a whole by what opens a store.
"""
