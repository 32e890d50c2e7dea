"""The first schema."""

import sqlalchemy as sa
from alembic import op

from ammg.store.models.base import Id, LongText, Moment, Sealed, text

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create all tables."""
    op.create_table(
        "audit",
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("at", Moment(), nullable=False),
        sa.Column("actor_id", Id, nullable=True),
        sa.Column("actor_name", text(80), nullable=False),
        sa.Column("action", text(60), nullable=False),
        sa.Column("subject", text(60), nullable=False),
        sa.Column("project_id", Id, nullable=True),
        sa.Column("details", LongText, nullable=False),
        sa.Column("previous", text(64), nullable=False),
        sa.Column("hash", text(64), nullable=False),
        sa.Column("seal", text(64), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_audit")),
    )
    op.create_index("ix_audit_project_id", "audit", ["project_id"])

    op.create_table(
        "audit_head",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("hash", text(64), nullable=False),
        sa.Column("seal", text(64), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_head")),
    )
    op.create_table(
        "connections",
        sa.Column("id", Id, nullable=False),
        sa.Column("name", text(120), nullable=False),
        sa.Column("name_key", text(240), nullable=False),
        sa.Column("url", Sealed, nullable=False),
        sa.Column("reads", sa.Boolean(), nullable=False),
        sa.Column("writes", sa.Boolean(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_connections")),
        sa.UniqueConstraint("name_key", name=op.f("uq_connections_name_key")),
    )
    op.create_table(
        "facts",
        sa.Column("name", text(60), nullable=False),
        sa.Column("value", text(500), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_facts")),
    )
    op.create_table(
        "files",
        sa.Column("id", Id, nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("sha256", text(64), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_files")),
    )
    op.create_table(
        "login_failures",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("account", text(64), nullable=False),
        sa.Column("address", text(64), nullable=False),
        sa.Column("at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_login_failures")),
    )
    op.create_index("ix_login_failures_account_at", "login_failures", ["account", "at"])
    op.create_index("ix_login_failures_address_at", "login_failures", ["address", "at"])

    op.create_table(
        "users",
        sa.Column("id", Id, nullable=False),
        sa.Column("name", text(80), nullable=False),
        sa.Column("name_key", text(160), nullable=False),
        sa.Column("full_name", text(200), nullable=False),
        sa.Column("password", text(300), nullable=False),
        sa.Column("is_administrator", sa.Boolean(), nullable=False),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("name_key", name=op.f("uq_users_name_key")),
    )
    op.create_table(
        "invitations",
        sa.Column("id", Id, nullable=False),
        sa.Column("kind", text(10), nullable=False),
        sa.Column("digest", text(64), nullable=False),
        sa.Column("is_administrator", sa.Boolean(), nullable=False),
        sa.Column("user_id", Id, nullable=True),
        sa.Column("note", text(200), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("created_by", Id, nullable=True),
        sa.Column("expires_at", Moment(), nullable=False),
        sa.Column("used_at", Moment(), nullable=True),
        sa.ForeignKeyConstraint(["created_by"], ["users.id"], name=op.f("fk_invitations_created_by")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_invitations_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitations")),
        sa.UniqueConstraint("digest", name=op.f("uq_invitations_digest")),
    )
    op.create_table(
        "projects",
        sa.Column("id", Id, nullable=False),
        sa.Column("owner_id", Id, nullable=False),
        sa.Column("name", text(120), nullable=False),
        sa.Column("name_key", text(240), nullable=False),
        sa.Column("description", text(2000), nullable=False),
        sa.Column("current", sa.Integer(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["users.id"], name=op.f("fk_projects_owner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_projects")),
        sa.UniqueConstraint("owner_id", "name_key", name=op.f("uq_projects_owner_id_name_key")),
    )
    op.create_table(
        "sessions",
        sa.Column("id", Id, nullable=False),
        sa.Column("user_id", Id, nullable=False),
        sa.Column("digest", text(64), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("seen_at", Moment(), nullable=False),
        sa.Column("expires_at", Moment(), nullable=False),
        sa.Column("revoked_at", Moment(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_sessions_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
        sa.UniqueConstraint("digest", name=op.f("uq_sessions_digest")),
    )
    op.create_index("ix_sessions_user_id", "sessions", ["user_id"])

    op.create_table(
        "tokens",
        sa.Column("id", Id, nullable=False),
        sa.Column("user_id", Id, nullable=False),
        sa.Column("label", text(200), nullable=False),
        sa.Column("digest", text(64), nullable=False),
        sa.Column("scopes", text(200), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("expires_at", Moment(), nullable=False),
        sa.Column("used_at", Moment(), nullable=True),
        sa.Column("revoked_at", Moment(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_tokens_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tokens")),
        sa.UniqueConstraint("digest", name=op.f("uq_tokens_digest")),
    )
    op.create_index("ix_tokens_user_id", "tokens", ["user_id"])

    op.create_table(
        "data_sets",
        sa.Column("id", Id, nullable=False),
        sa.Column("project_id", Id, nullable=False),
        sa.Column("name", text(120), nullable=False),
        sa.Column("name_key", text(240), nullable=True),
        sa.Column("state", text(10), nullable=False),
        sa.Column("file_id", Id, nullable=True),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("records", sa.BigInteger(), nullable=True),
        sa.Column("reason", Sealed, nullable=True),
        sa.Column("analysis", Sealed, nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("created_by", Id, nullable=False),
        sa.Column("removed_at", Moment(), nullable=True),
        sa.ForeignKeyConstraint(["created_by"], ["users.id"], name=op.f("fk_data_sets_created_by")),
        sa.ForeignKeyConstraint(["file_id"], ["files.id"], name=op.f("fk_data_sets_file_id")),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_data_sets_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_data_sets")),
        sa.UniqueConstraint("project_id", "name_key", name=op.f("uq_data_sets_project_id_name_key")),
    )
    op.create_table(
        "jobs",
        sa.Column("id", Id, nullable=False),
        sa.Column("project_id", Id, nullable=False),
        sa.Column("kind", text(10), nullable=False),
        sa.Column("state", text(10), nullable=False),
        sa.Column("parameters", Sealed, nullable=False),
        sa.Column("done", sa.Double(), nullable=False),
        sa.Column("total", sa.Double(), nullable=False),
        sa.Column("label", text(200), nullable=False),
        sa.Column("reason", Sealed, nullable=True),
        sa.Column("result", LongText, nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("created_by", Id, nullable=False),
        sa.Column("started_at", Moment(), nullable=True),
        sa.Column("ended_at", Moment(), nullable=True),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("claim", Id, nullable=True),
        sa.Column("host", text(200), nullable=True),
        sa.Column("process", sa.Integer(), nullable=True),
        sa.Column("heartbeat_at", Moment(), nullable=True),
        sa.Column("cancel_at", Moment(), nullable=True),
        sa.Column("journal_id", Id, nullable=True),
        sa.ForeignKeyConstraint(["created_by"], ["users.id"], name=op.f("fk_jobs_created_by")),
        sa.ForeignKeyConstraint(["journal_id"], ["files.id"], name=op.f("fk_jobs_journal_id")),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_jobs_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
    )
    op.create_index("ix_jobs_project_id", "jobs", ["project_id"])
    op.create_index("ix_jobs_state_created_at", "jobs", ["state", "created_at"])

    op.create_table(
        "members",
        sa.Column("project_id", Id, nullable=False),
        sa.Column("user_id", Id, nullable=False),
        sa.Column("role", text(10), nullable=False),
        sa.Column("since", Moment(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_members_project_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_members_user_id")),
        sa.PrimaryKeyConstraint("project_id", "user_id", name=op.f("pk_members")),
    )
    op.create_index("ix_members_user_id", "members", ["user_id"])

    op.create_table(
        "versions",
        sa.Column("id", Id, nullable=False),
        sa.Column("project_id", Id, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("based_on", sa.Integer(), nullable=True),
        sa.Column("note", text(500), nullable=False),
        sa.Column("document", Sealed, nullable=False),
        sa.Column("secret", Sealed, nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("created_by", Id, nullable=False),
        sa.ForeignKeyConstraint(["created_by"], ["users.id"], name=op.f("fk_versions_created_by")),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_versions_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_versions")),
        sa.UniqueConstraint("project_id", "number", name=op.f("uq_versions_project_id_number")),
    )
    op.create_table(
        "job_events",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("job_id", Id, nullable=False),
        sa.Column("at", Moment(), nullable=False),
        sa.Column("kind", text(10), nullable=False),
        sa.Column("text", Sealed, nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_job_events_job_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job_events")),
    )
    op.create_index("ix_job_events_job_id", "job_events", ["job_id"])

    op.create_table(
        "masked_files",
        sa.Column("id", Id, nullable=False),
        sa.Column("project_id", Id, nullable=False),
        sa.Column("owner_id", Id, nullable=False),
        sa.Column("name", text(120), nullable=False),
        sa.Column("name_key", text(240), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("job_id", Id, nullable=False),
        sa.Column("records", sa.BigInteger(), nullable=False),
        sa.Column("needs_reason", sa.Boolean(), nullable=False),
        sa.Column("facts", Sealed, nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("created_by", Id, nullable=False),
        sa.ForeignKeyConstraint(["created_by"], ["users.id"], name=op.f("fk_masked_files_created_by")),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_masked_files_job_id")),
        sa.ForeignKeyConstraint(["owner_id"], ["users.id"], name=op.f("fk_masked_files_owner_id")),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_masked_files_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_masked_files")),
        sa.UniqueConstraint("owner_id", "name_key", name=op.f("uq_masked_files_owner_id_name_key")),
    )
    op.create_index("ix_masked_files_project_id", "masked_files", ["project_id"])

    op.create_table(
        "searches",
        sa.Column("id", Id, nullable=False),
        sa.Column("project_id", Id, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("found_version", sa.Integer(), nullable=False),
        sa.Column("job_id", Id, nullable=False),
        sa.Column("keeps_limits", sa.Boolean(), nullable=False),
        sa.Column("outcome", Sealed, nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_searches_job_id")),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_searches_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_searches")),
    )
    op.create_index("ix_searches_project_id", "searches", ["project_id"])

    op.create_table(
        "evaluations",
        sa.Column("id", Id, nullable=False),
        sa.Column("project_id", Id, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("masked_file_id", Id, nullable=True),
        sa.Column("job_id", Id, nullable=False),
        sa.Column("keeps_limits", sa.Boolean(), nullable=False),
        sa.Column("outcome", Sealed, nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_evaluations_job_id")),
        sa.ForeignKeyConstraint(["masked_file_id"], ["masked_files.id"], name=op.f("fk_evaluations_masked_file_id")),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_evaluations_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_evaluations")),
    )
    op.create_index("ix_evaluations_project_id", "evaluations", ["project_id"])

    op.create_table(
        "parts",
        sa.Column("masked_file_id", Id, nullable=False),
        sa.Column("name", text(40), nullable=False),
        sa.Column("file_name", text(255), nullable=False),
        sa.Column("role", text(10), nullable=False),
        sa.Column("file_id", Id, nullable=False),
        sa.ForeignKeyConstraint(["file_id"], ["files.id"], name=op.f("fk_parts_file_id")),
        sa.ForeignKeyConstraint(["masked_file_id"], ["masked_files.id"], name=op.f("fk_parts_masked_file_id")),
        sa.PrimaryKeyConstraint("masked_file_id", "name", name=op.f("pk_parts")),
    )
    op.create_table(
        "reports",
        sa.Column("id", Id, nullable=False),
        sa.Column("project_id", Id, nullable=False),
        sa.Column("masked_file_id", Id, nullable=False),
        sa.Column("kind", text(10), nullable=False),
        sa.Column("file_id", Id, nullable=False),
        sa.Column("job_id", Id, nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.ForeignKeyConstraint(["file_id"], ["files.id"], name=op.f("fk_reports_file_id")),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_reports_job_id")),
        sa.ForeignKeyConstraint(["masked_file_id"], ["masked_files.id"], name=op.f("fk_reports_masked_file_id")),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_reports_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reports")),
    )
    op.create_index("ix_reports_project_id", "reports", ["project_id"])

    op.create_table(
        "reviews",
        sa.Column("id", Id, nullable=False),
        sa.Column("project_id", Id, nullable=False),
        sa.Column("masked_file_id", Id, nullable=False),
        sa.Column("state", text(10), nullable=False),
        sa.Column("statement", Sealed, nullable=False),
        sa.Column("reason", Sealed, nullable=False),
        sa.Column("submitted_by", Id, nullable=False),
        sa.Column("submitted_at", Moment(), nullable=False),
        sa.Column("decision", Sealed, nullable=True),
        sa.Column("decided_by", Id, nullable=True),
        sa.Column("decided_at", Moment(), nullable=True),
        sa.ForeignKeyConstraint(["decided_by"], ["users.id"], name=op.f("fk_reviews_decided_by")),
        sa.ForeignKeyConstraint(["masked_file_id"], ["masked_files.id"], name=op.f("fk_reviews_masked_file_id")),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_reviews_project_id")),
        sa.ForeignKeyConstraint(["submitted_by"], ["users.id"], name=op.f("fk_reviews_submitted_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reviews")),
    )
    op.create_index("ix_reviews_masked_file_id", "reviews", ["masked_file_id"])
    op.create_index("ix_reviews_project_id", "reviews", ["project_id"])

    op.create_table(
        "comments",
        sa.Column("id", Id, nullable=False),
        sa.Column("review_id", Id, nullable=False),
        sa.Column("user_id", Id, nullable=False),
        sa.Column("at", Moment(), nullable=False),
        sa.Column("text", Sealed, nullable=False),
        sa.ForeignKeyConstraint(["review_id"], ["reviews.id"], name=op.f("fk_comments_review_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_comments_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_comments")),
    )
    op.create_index("ix_comments_review_id", "comments", ["review_id"])

    op.create_table(
        "releases",
        sa.Column("id", Id, nullable=False),
        sa.Column("project_id", Id, nullable=False),
        sa.Column("masked_file_id", Id, nullable=False),
        sa.Column("review_id", Id, nullable=False),
        sa.Column("job_id", Id, nullable=False),
        sa.Column("checksums", LongText, nullable=False),
        sa.Column("connection", text(120), nullable=True),
        sa.Column("table", text(200), nullable=True),
        sa.Column("released_by", Id, nullable=False),
        sa.Column("released_at", Moment(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_releases_job_id")),
        sa.ForeignKeyConstraint(["masked_file_id"], ["masked_files.id"], name=op.f("fk_releases_masked_file_id")),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_releases_project_id")),
        sa.ForeignKeyConstraint(["released_by"], ["users.id"], name=op.f("fk_releases_released_by")),
        sa.ForeignKeyConstraint(["review_id"], ["reviews.id"], name=op.f("fk_releases_review_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_releases")),
        sa.UniqueConstraint("masked_file_id", name=op.f("uq_releases_masked_file_id")),
    )
    op.create_index("ix_releases_project_id", "releases", ["project_id"])

    op.create_table(
        "withdrawals",
        sa.Column("release_id", Id, nullable=False),
        sa.Column("at", Moment(), nullable=False),
        sa.Column("by", Id, nullable=False),
        sa.Column("reason", Sealed, nullable=False),
        sa.ForeignKeyConstraint(["by"], ["users.id"], name=op.f("fk_withdrawals_by")),
        sa.ForeignKeyConstraint(["release_id"], ["releases.id"], name=op.f("fk_withdrawals_release_id")),
        sa.PrimaryKeyConstraint("release_id", name=op.f("pk_withdrawals")),
    )
