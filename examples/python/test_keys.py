"""Tests of a client in Python against a mock: one process for all tests, a session for each."""

import json
import os
import shlex
import subprocess
import unittest
import urllib.error
import urllib.request
import uuid

# The command that starts the mock; a document and folders of your own come after "serve".
COMMAND = shlex.split(os.environ.get("VOUCH", "npx vouch"))


def send(url, method="GET", body=None):
    """Sends a request, and returns the status and the parsed body."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"authorization": "Bearer sk-test", "content-type": "application/json"}
    request = urllib.request.Request(url, data=data, method=method, headers=headers)
    try:
        with urllib.request.urlopen(request) as response:
            status, content = response.status, response.read()
    except urllib.error.HTTPError as error:
        with error:
            status, content = error.code, error.read()
    return status, json.loads(content) if content else None


class KeysTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.process = subprocess.Popen(
            [*COMMAND, "serve", "--port", "0", "--json", "--quiet"], stdout=subprocess.PIPE, text=True
        )
        cls.addClassCleanup(cls.stop)
        # The first line has the address once the mock listens.
        cls.base_path = json.loads(cls.process.stdout.readline())["listening"]
        cls.root = "/".join(cls.base_path.split("/")[:3])

    @classmethod
    def stop(cls):
        cls.process.terminate()
        cls.process.wait()
        cls.process.stdout.close()

    def setUp(self):
        session = f"test-{uuid.uuid4()}"
        # The path names the session: a client needs only another base URL.
        path = self.base_path[len(self.root) :]
        self.api = f"{self.root}/~{session}{path}"
        self.control = f"{self.root}/~{session}/__mock"
        self.assertEqual(send(f"{self.root}/__mock/sessions", "POST", {"id": session})[0], 201)
        self.addCleanup(send, f"{self.root}/__mock/sessions/{session}", "DELETE")

    def verify(self):
        """Fails if the client broke the contract, or a rule of an active scenario was not used."""
        _, verification = send(f"{self.control}/journal/verification")
        self.assertEqual(verification, {"ok": True, "findings": []})

    def test_a_created_key_is_in_the_list(self):
        send(f"{self.control}/state/admin_api_keys", "PUT", [])
        status, _ = send(f"{self.api}/organization/admin_api_keys", "POST", {"name": "From Python"})
        self.assertEqual(status, 200)
        _, keys = send(f"{self.api}/organization/admin_api_keys")
        self.assertEqual([key["name"] for key in keys["data"]], ["From Python"])
        self.verify()

    def test_other_tests_do_not_see_it(self):
        _, keys = send(f"{self.api}/organization/admin_api_keys")
        self.assertNotIn("From Python", [key["name"] for key in keys["data"]])
        self.verify()

    def test_a_scenario_makes_the_list_fail(self):
        down = {"operations": {"listAdminApiKeys": {"respond": {"status": 500}}}}
        self.assertEqual(send(f"{self.control}/scenarios/down", "PUT", down)[0], 200)
        send(f"{self.control}/scenarios/down/activate", "POST")
        self.assertEqual(send(f"{self.api}/organization/admin_api_keys")[0], 500)
        self.verify()

    def test_a_wrong_request_is_found(self):
        status, _ = send(f"{self.api}/organization/admin_api_keys", "POST", {"name": 7})
        self.assertEqual(status, 400)
        _, verification = send(f"{self.control}/journal/verification")
        self.assertFalse(verification["ok"])


if __name__ == "__main__":
    unittest.main()
