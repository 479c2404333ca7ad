"""Rabi oscillation: 24 circuits at once over one pool of connections, with httpx (pip install httpx).

    QCS_API_KEY=qcs_… python3 examples/rabi_httpx.py

QCS_URL names the service, http://127.0.0.1:8080 unless given. A turn by θ about x leaves the qubit in 1 with the
chance sin²(θ/2).
"""
import asyncio
import math
import os

import httpx

SERVICE = os.environ.get("QCS_URL", "http://127.0.0.1:8080")
HEADERS = {"X-API-Key": os.environ.get("QCS_API_KEY", "")}
SHOTS = 2000
ANGLES = [4 * math.pi * k / 24 for k in range(24)]


async def chance_of_one(client, theta):
    """Fraction of the shots that read 1."""
    answer = await client.post("/api/v1/quantum/circuits", json={
        "circuit": [{"gate": "RX", "qubit": 0, "theta": theta}, {"gate": "M", "qubits": [0]}],
        "target_processor": "gpu-fleet",
        "shots": SHOTS,
        "seed": 7,
    })
    answer.raise_for_status()
    return answer.json()["data"]["counts"].get("1", 0) / SHOTS


async def main():
    async with httpx.AsyncClient(base_url=SERVICE, headers=HEADERS, timeout=60) as client:
        chances = await asyncio.gather(*(chance_of_one(client, theta) for theta in ANGLES))
    for theta, chance in zip(ANGLES, chances):
        print(f"{theta:6.3f}  {chance:.4f}  {'█' * round(40 * chance)}")
    farthest = max(abs(p - math.sin(theta / 2) ** 2) for theta, p in zip(ANGLES, chances))
    print(f"farthest from theory {farthest:.4f}")


asyncio.run(main())
