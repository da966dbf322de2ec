"""The forms of the token APIs: requests and answers of each kind of server; no torch."""
