"""Who may see and change what: one table, held to the site by walking every address of it.

python -m tests.crawl        prints the table
"""
