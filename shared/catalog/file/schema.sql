-- One published version of the catalog. `application_id` and `user_version` are what `format.ts` expects.
PRAGMA application_id = 0x626f7463;
PRAGMA user_version = 2;

-- `content` is the record as published, with its times settled; what it refers to is filled in when it is read.
CREATE TABLE bases (
  id INTEGER PRIMARY KEY,
  content TEXT NOT NULL
) STRICT;

-- `content` holds the fields that only the full Product shows. Images are without the image base URL.
CREATE TABLE products (
  id INTEGER PRIMARY KEY,
  base INTEGER NOT NULL REFERENCES bases (id),
  presentation TEXT NOT NULL,
  price_cents INTEGER NOT NULL,
  has_iva INTEGER NOT NULL,
  is_active INTEGER NOT NULL,
  has_shortage INTEGER NOT NULL,
  sat_key TEXT NOT NULL,
  sat_unit TEXT NOT NULL,
  ean_key TEXT NOT NULL UNIQUE,
  default_image TEXT,
  name_slug TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  content TEXT NOT NULL
) STRICT;

-- Every other record as published; `key` is an id, a coupon's code in capitals, or a date.
CREATE TABLE records (
  kind TEXT NOT NULL,
  key ANY NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;

-- What product lists are filtered, ordered and searched by: arrays with an element per product in the order of ids.
CREATE TABLE columns (
  name TEXT PRIMARY KEY,
  content BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- What the next version needs to keep the times of records that did not change.
CREATE TABLE stamps (
  file TEXT NOT NULL,
  id INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (file, id)
) STRICT, WITHOUT ROWID;
