/** Models of the host xai with its list prices, read from models.dev on 2026-07-02; written by scripts/host-models.js. */
export const models = `
grok-4.20-0309-non-reasoning|Grok 4.20 (Non-Reasoning)|2026-03-09|1000000|30000|ipt|1.25,2.5,0.2,,,;200000:2.5,5,0.4,,,
grok-4.20-0309-reasoning|Grok 4.20 (Reasoning)|2026-03-09|1000000|30000|iprt|1.25,2.5,0.2,,,;200000:2.5,5,0.4,,,
grok-4.20-multi-agent-0309|Grok 4.20 Multi-Agent|2026-03-09|1000000|30000|ipr|1.25,2.5,0.2,,,;200000:2.5,5,0.4,,,
grok-4.3|Grok 4.3|2026-04-17|1000000|30000|iprt|1.25,2.5,0.2,,,;200000:2.5,5,0.4,,,
grok-build-0.1|Grok Build 0.1|2026-04-16|256000|256000|iprt|1,2,0.2,,,;200000:2,4,0.4,,,
`
