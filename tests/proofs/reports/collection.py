"""All reports."""
import preference, reinforcement, supervised
from report import Report
REPORTS: tuple[Report, ...] = (*supervised.REPORTS, *preference.REPORTS, *reinforcement.REPORTS)
