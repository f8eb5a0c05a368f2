-- The built-in tables, without their rows: an invented motor and property insurer, as of the end of June 2026.
-- They contain no persons: customers have codes.

CREATE TABLE customers (
  id INTEGER PRIMARY KEY,
  code TEXT NOT NULL UNIQUE,
  segment TEXT NOT NULL,
  industry TEXT,
  city TEXT NOT NULL,
  state TEXT NOT NULL,
  customer_since DATE NOT NULL);
CREATE TABLE policies (
  id INTEGER PRIMARY KEY,
  number TEXT NOT NULL UNIQUE,
  customer_id INTEGER NOT NULL REFERENCES customers(id),
  line TEXT NOT NULL,
  start_date DATE NOT NULL,
  end_date DATE,
  status TEXT NOT NULL,
  annual_premium_cents INTEGER NOT NULL,
  deductible_cents INTEGER NOT NULL,
  channel TEXT NOT NULL);
CREATE TABLE vehicles (
  id INTEGER PRIMARY KEY,
  policy_id INTEGER NOT NULL REFERENCES policies(id),
  kind TEXT NOT NULL,
  make TEXT NOT NULL,
  model_year INTEGER NOT NULL,
  value_cents INTEGER NOT NULL,
  annual_km INTEGER NOT NULL);
CREATE TABLE claims (
  id INTEGER PRIMARY KEY,
  number TEXT NOT NULL UNIQUE,
  policy_id INTEGER NOT NULL REFERENCES policies(id),
  vehicle_id INTEGER REFERENCES vehicles(id),
  occurred_on DATE NOT NULL,
  reported_on DATE NOT NULL,
  cause TEXT NOT NULL,
  status TEXT NOT NULL,
  claimed_cents INTEGER NOT NULL,
  paid_cents INTEGER NOT NULL,
  reserve_cents INTEGER NOT NULL,
  closed_on DATE);
CREATE TABLE premiums (
  id INTEGER PRIMARY KEY,
  policy_id INTEGER NOT NULL REFERENCES policies(id),
  year INTEGER NOT NULL,
  earned_cents INTEGER NOT NULL);
