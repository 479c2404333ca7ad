"""Plugin of pytest that points pennylane-ionq, in another process, at the service under test."""

import os

from pennylane_ionq.api_client import APIClient

APIClient.BASE_URL = os.environ["IONQ_API_URL"]
