"""The server of a shop, with Python's own library alone, and the order of a guest, who has no account: it finds a
product, holds its price, orders it with a prescription, has it paid at OXXO, follows it until it is shipped, shows where it is,
and downloads its invoice. Run it while `npm start` runs: `python3 shop.py`. The sandbox of the local server plays the patient who
pays and the pharmacy that approves and ships."""

import base64
import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from datetime import datetime, timedelta, timezone

BASE = sys.argv[1] if len(sys.argv) > 1 else "http://localhost:3000/v2"
HEADERS = {"X-API-Key": "demo-key-2026-farmacia-abierta", "Accept-Language": "en"}


def call(method, path, body=None, query=None, base=BASE, **headers):
    """Sends a request, again after a 429 or 503, and returns the answer. A POST needs an Idempotency-Key to be repeated."""
    url = base + path + ("?" + urllib.parse.urlencode(query) if query else "")
    data = None if body is None else json.dumps(body).encode()
    sent = {**HEADERS, **headers, **({"Content-Type": "application/json"} if data else {})}
    for attempt in range(5):
        try:
            with urllib.request.urlopen(urllib.request.Request(url, data, sent, method=method), timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            is_safe = error.code == 429 or (error.code == 503 and (method == "GET" or "Idempotency-Key" in headers))
            if not is_safe or attempt == 4:
                raise SystemExit(f"{method} {path}: {error.code} {error.read().decode()}")
            time.sleep(float(error.headers.get("Retry-After", 1)))


def log_in(email, password):
    HEADERS["Authorization"] = "Bearer " + call("POST", "/api/token/", {"email": email, "password": password})["access"]


def find_product(search):
    query = {"search": search, "spelling": "true", "is_active": "true", "has_shortage": "false"}
    page = call("GET", "/api/products/", query=query)
    if page.get("did_you_mean"):
        print(f"Nothing is called {search}: did you mean {page['did_you_mean']}?")
        return find_product(page["did_you_mean"])
    found = next(p for p in page["results"] if (p["base"]["medical_information"] or {}).get("requires_prescription"))
    print(f"Product {found['id']}, {found['base']['name']}: {found['price']}, needs a prescription")
    return found["id"]


def find_method(collection):
    """Finds the method by how it is collected: the pharmacy chooses its name and id."""
    methods = call("GET", "/api/payment-methods/", query={"include": "collection"})["results"]
    return next(method["id"] for method in methods if method["collection"] == collection)


def prescription():
    """A PDF of one page, in place of a scan."""
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
        "<</Length 43>>stream\nBT /F 18 Tf 40 100 Td (Dra. Eva Luna) Tj ET\nendstream",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    body = "".join(f"{number} 0 obj{text}endobj\n" for number, text in enumerate(objects, 1))
    document = base64.b64encode(f"%PDF-1.4\n{body}trailer<</Root 1 0 R>>\n%%EOF\n".encode()).decode()
    # In the evening the date in UTC is already tomorrow's, which would be refused. Most of Mexico has UTC-6 all year.
    today = (datetime.now(timezone.utc) - timedelta(hours=6)).date().isoformat()
    return {"document": document, "document_name": "receta.pdf", "issue_date": today}


ADDRESS = {"street": "Durango", "exterior_number": "245", "neighborhood": "Roma Norte", "city": "Ciudad de México"}
ADDRESS |= {"state": "CDMX", "country": "México", "zipcode": "06700", "phone": "+525512345678"}


def place_order():
    details = [{"product": find_product("amoxisilina"), "quantity": 1}]
    basket = {"details": details, "coupon": "BIENVENIDA10", "zipcode": ADDRESS["zipcode"], "hold": True}
    quote = call("POST", "/api/orders/calculate/", basket)
    print(f"Quote: {quote['subtotal']} - {quote['discount']} + {quote['shipping_price']} = {quote['total']}, held")
    # The first order registers the guest.
    user = {"email": "luz.mora@example.mx", "first_name": "Luz", "last_name": "Mora", "phone": "+525512345678"}
    order = {"details": details, "hold": quote["hold"]["token"], "shipping": ADDRESS, "prescriptions": [prescription()]}
    order["payment_method"] = find_method("oxxo")
    key = {"Idempotency-Key": str(uuid.uuid4())}
    placed = call("POST", "/api/orders/resources/", {"user": user, "order": order}, **key)
    print(f"Order {placed['folio']}: {placed['total']}, {placed['order_status']}, {placed['payment_status']}")
    return placed


def pay(order):
    """Does what the patient would do at the counter of OXXO."""
    voucher = order["payment_references"][0]
    print(f"Pay {voucher['reference']} at {voucher['institution']}")
    urllib.request.urlopen(voucher["external_url"], b"outcome=paid", timeout=30).close()


def play_pharmacy(order, action, **body):
    """Does what the people of the pharmacy would do."""
    call("POST", f"/sandbox/orders/{order['id']}/{action}", body, base=BASE.rsplit("/", 1)[0])


def follow_until_shipped(order):
    address = "/api/events/?cursor="
    while True:
        page = call("GET", address)
        for event in (event for event in page["results"] if event["order"]["id"] == order["id"]):
            print(f"{event['type']}: {event['order']['order_status']}, {event['order']['payment_status']}")
            if event["shipment"]:
                return print(f"Shipped with {event['shipment']['carrier']}: {event['shipment']['tracking_number']}")
        address = page["next"].removeprefix(BASE)
        if not page["results"]:
            time.sleep(1)


def track(order):
    """Shows what a page of the shop would tell the guest."""
    now = call("GET", f"/api/orders/{order['id']}/", query={"include": "payments,shipments"})
    payment, shipment = now["payments"][0], now["shipments"][0]
    way = f"{payment['status']} by {payment['collection']}, {shipment['tracking_url']}"
    print(f"{now['folio']}: {now['patient_order_status']}, {way}")


def download_invoice(order):
    receiver = {"full_name": "LUZ MORA", "rfc": "MOXL900412AB1", "cfdi_use": "S01", "fiscal_regime": "605"}
    more = {**ADDRESS, "email": "facturas@example.mx"}
    call("PUT", f"/api/orders/{order['id']}/request-invoice/", {"invoicing": {**receiver, **more}})
    invoice = call("GET", f"/api/orders/{order['id']}/", query={"include": "invoices"})["invoices"][0]
    with urllib.request.urlopen(invoice["xml"], timeout=30) as xml:
        print(f"Invoice {invoice['uuid']}: {len(xml.read().decode())} characters of XML")


# The server of a shop has a user of its own, who orders for guests: their passwords are none of its business.
log_in("aseguradora@demo.example", "farmacia-demo-2026")
order = place_order()
pay(order)
play_pharmacy(order, "approve")
play_pharmacy(order, "ship", carrier="Paquetería Andariega", tracking="1Z999AA10123456784")
follow_until_shipped(order)
track(order)
download_invoice(order)
