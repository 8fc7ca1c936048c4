"""Serves moto on a free loopback port, one request after the other, because its transactions are not safe for threads."""

import copy
from types import SimpleNamespace

from moto.dynamodb import models
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import run_simple

transact_write_items = models.DynamoDBBackend.transact_write_items


def transact(backend, items):
    """Copies each table once for the transaction; moto does so once for each of its items, which takes minutes here."""
    copies = {}

    def deepcopy(value):
        if not isinstance(value, models.Table):
            return copy.deepcopy(value)
        if value.name not in copies:
            copies[value.name] = copy.deepcopy(value)
        return copies[value.name]

    models.copy = SimpleNamespace(deepcopy=deepcopy)
    try:
        return transact_write_items(backend, items)
    finally:
        models.copy = copy


models.DynamoDBBackend.transact_write_items = transact
run_simple("127.0.0.1", 0, DomainDispatcherApplication(create_backend_app), threaded=False)
