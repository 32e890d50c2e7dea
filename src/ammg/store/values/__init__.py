"""Values returned by the functions of the store, which every interface can show."""

from ammg.store.values.people import Invitation, NewInvitation, NewSession, NewToken, SessionInfo, TokenInfo, User
from ammg.store.values.projects import Connection, DataSet, Download, Member, Project, ProjectLine, Version, VersionInfo
from ammg.store.values.review import AuditEntry, ChainState, Comment, Health, Release, Review, Storage
from ammg.store.values.work import (
    Comparison,
    Evaluation,
    FirstRecords,
    Job,
    JobEvent,
    MaskedFile,
    Part,
    ReportInfo,
    Search,
    SystemJob,
)

__all__ = [
    "AuditEntry",
    "ChainState",
    "Comment",
    "Comparison",
    "Connection",
    "DataSet",
    "Download",
    "Evaluation",
    "FirstRecords",
    "Health",
    "Invitation",
    "Job",
    "JobEvent",
    "MaskedFile",
    "Member",
    "NewInvitation",
    "NewSession",
    "NewToken",
    "Part",
    "Project",
    "ProjectLine",
    "Release",
    "ReportInfo",
    "Review",
    "Search",
    "SessionInfo",
    "Storage",
    "SystemJob",
    "TokenInfo",
    "User",
    "Version",
    "VersionInfo",
]
