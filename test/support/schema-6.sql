-- Rows of a data folder of version 0.1.0 with schema 6, without statistics and most prices.
INSERT INTO account (id, posted, held, open_holds, running, entries, write_off_day, written_off, suspended_ms, restricted_ms, overdrawn, rates) VALUES
  (385355479628382209, 4999998500, 0, 0, 0, 4, 0, 0, NULL, NULL, 0, X'A2010000CD278D26000000000100000001000000DF00000000000000010000008B0200000100000001000000B30200000000000001000000500300000100000001000000D50300000000000001000000'),
  (385355581344448512, 5000000000, 0, 0, 0, 1, 0, 0, NULL, NULL, 0, X'');
INSERT INTO account_profile (id, kind, email, name, created_ms, owner, credit_decided) VALUES
  (385355479628382209, 'personal', NULL, 'local', 1795943106796, NULL, 1),
  (385355581344448512, 'personal', 'ada@example.org', 'ada@example.org', 1795943130153, NULL, 1);
INSERT INTO key_usage (key, account, held, open_holds, running, spent, day, spent_before_day, spent_before_week, spent_before_month, minute, rates, shared, spent_max) VALUES
  (385355483445198848, 385355479628382209, 0, 0, 0, 1500, 20786, 0, 0, 0, 29932385, X'A2010000CD278D26000000000100000001000000DF00000000000000010000008B0200000100000001000000B30200000000000001000000500300000100000001000000D50300000000000001000000', NULL, NULL);
INSERT INTO entry (id, account, position, counter, kind, amount, balance_after, source, reference, request, note, created_ms) VALUES
  (385355483378089984, 385355479628382209, 1, 'promo', 'credit', 5000000000, 5000000000, 'signup', 'acct_0ap8erhdr0001', NULL, NULL, 1795943106796),
  (385355516102049792, 385355479628382209, 2, 'revenue', 'usage', -500, 4999999500, NULL, NULL, 385355516102049792, NULL, 1795943114924),
  (385355519193251840, 385355479628382209, 3, 'revenue', 'usage', -500, 4999999000, NULL, NULL, 385355519193251840, NULL, 1795943115392),
  (385355520074055680, 385355479628382209, 4, 'revenue', 'usage', -500, 4999998500, NULL, NULL, 385355520074055680, NULL, 1795943115682),
  (385355581344448513, 385355581344448512, 1, 'promo', 'credit', 5000000000, 5000000000, 'signup', 'acct_0ap8evg540000', NULL, NULL, 1795943130153);
INSERT INTO receipt (id, account, key, hold, charged, written_off, price_version, model, dialect, streamed, ended_ms, provider, upstream, upstream_model, upstream_request_id, status, end_reason, usage_source, error_code, input_uncached, cache_read, cache_write_5m, cache_write_1h, input_audio, output, output_audio, reasoning, fees, ran_at, unpriced_usage, upstream_cost, output_limit, output_lowered, settled_late, started_ms, first_byte_ms, attempts, person, implausible, input_bound, background, own_key, own_key_fee) VALUES
  (385355516102049792, 385355479628382209, 385355483445198848, 80018625, 500, 0, 385355480152670208, 'sandbox-echo', 'openai-chat', 1, 1795943114924, 'sandbox', 'sandbox', 'sandbox-echo', 'req_0ap8eskcr0000', 200, 'complete', 'reported', NULL, 1, 0, 0, 0, 0, 1, 0, 0, '{}', '[]', 0, 500, 200000, 0, 0, 1795943114599, 1795943114811, '[{"upstream":"sandbox","status":200,"failure":null,"firstByteMs":1795943114811,"startedMs":1795943114739,"endedMs":1795943114923}]', NULL, NULL, 'bytes', 0, 0, NULL),
  (385355519193251840, 385355479628382209, 385355483445198848, 80018750, 500, 0, 385355480152670208, 'sandbox-echo', 'openai-chat', 0, 1795943115392, 'sandbox', 'sandbox', 'sandbox-echo', 'req_0ap8esp8w0000', 200, 'complete', 'reported', NULL, 1, 0, 0, 0, 0, 1, 0, 0, '{}', '[]', 0, 500, 200000, 0, 0, 1795943115335, 1795943115369, '[{"upstream":"sandbox","status":200,"failure":null,"firstByteMs":1795943115369,"startedMs":1795943115353,"endedMs":1795943115391}]', NULL, NULL, 'bytes', 0, 0, NULL),
  (385355520074055680, 385355479628382209, 385355483445198848, 80013000, 500, 0, 385355480152670208, 'sandbox-echo', 'openai-responses', 0, 1795943115682, 'sandbox', 'sandbox', 'sandbox-echo', 'req_0ap8esq340000', 200, 'complete', 'reported', NULL, 1, 0, 0, 0, 0, 1, 0, 0, '{}', '[]', 0, 500, 200000, 0, 0, 1795943115545, 1795943115650, '[{"upstream":"sandbox","status":200,"failure":null,"firstByteMs":1795943115650,"startedMs":1795943115576,"endedMs":1795943115681}]', NULL, NULL, 'bytes', 0, 0, NULL);
INSERT INTO api_key (id, account, name, label, hash, created_ms, expires_ms, revoked_ms, disabled, policy, created_by, replaced_by) VALUES
  (385355483445198848, 385355479628382209, 'First key', 'label', X'2A58366CB4B2156C2A26AD319997C0DB49449447543CBF204D3D9BDBE47C07AB', 1795943106813, NULL, NULL, 0, '{"rates":{"requestsPerMinute":null,"tokensPerMinute":null,"concurrent":null},"budget":null,"models":null,"onShortBalance":"lower","showBalance":true,"showCost":false}', NULL, NULL),
  (385355581415751680, 385355581344448512, 'First key', 'label', X'6670046207FDE551A69A3B16F572096769BF3780DC8BEDE5664381526D97754B', 1795943130170, NULL, NULL, 0, '{"rates":{"requestsPerMinute":null,"tokensPerMinute":null,"concurrent":null},"budget":null,"models":null,"onShortBalance":"lower","showBalance":true,"showCost":false}', NULL, NULL);
INSERT INTO provider_object (position, account, id, receipt, referenced_scope, created_ms) VALUES
  (1, 385355479628382209, 'resp_QP83rC65nJWARXpTcjH1jK', 385355520074055680, 'all', 1795943115682),
  (2, 385355479628382209, 'msg_QP83rC65nJWARXpTcjH1jKp00c032d878', 385355520074055680, 'output', 1795943115682);
INSERT INTO usage_hour (account, hour, key, model, requests, errors, write_offs, refused, input_uncached, cache_read, cache_write, output, reasoning, charged, written_off, own_key_cost, latency, first_byte) VALUES
  (385355479628382209, 498873, 385355483445198848, 'sandbox-echo', 3, 0, 0, 0, 3, 0, 0, 3, 0, 1500, 0, 0, X'18011D012201', X'15011B011F01');
INSERT INTO redeem_code (id, hash, label, amount, uses_max, uses, expires_ms, revoked_ms, note, created_ms) VALUES
  (385355589238128640, X'B0CC33D8BC6C9DAC1A90EC3A0459CB3567C1F63ED0D13BBAC3A8E4518A0EE231', 'BMKK', 3000000000, 1, 0, NULL, NULL, NULL, 1795943132036);
INSERT INTO setting (name, value) VALUES
  ('first_start_done', 'yes'),
  ('local_account', 'acct_0ap8erhdr0001');
INSERT INTO receipt_list (account, id) VALUES
  (385355479628382209, 385355516102049792),
  (385355479628382209, 385355519193251840),
  (385355479628382209, 385355520074055680);
INSERT INTO price_version (id, model, effective_from_ms, body, source) VALUES
  (385355480152670208, 'sandbox-echo', 0, '{"fees":{"web_fetch":"0","web_search":"10000000"},"listRates":{"cacheRead":"10000000","cacheWrite1h":"200000000","cacheWrite5m":"125000000","input":"100000000","inputAudio":null,"output":"400000000","outputAudio":null},"listTiers":[],"options":{"inference_geo:us":{"denominator":"10","numerator":"11"},"service_tier:fast":{"denominator":"1","numerator":"2"},"service_tier:flex":{"denominator":"2","numerator":"1"},"service_tier:priority":{"denominator":"1","numerator":"2"},"speed:fast":{"denominator":"1","numerator":"2"}},"rates":{"cacheRead":"10000000","cacheWrite1h":"200000000","cacheWrite5m":"125000000","input":"100000000","inputAudio":null,"output":"400000000","outputAudio":null},"tiers":[]}', 'sandbox (test data)');
