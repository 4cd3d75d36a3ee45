/** The program with other values of fixed limits (JSON in `TEST_FIXED_LIMITS`), from its sources. */
import { limitDefaults } from '../../src/config/config.ts'

Object.assign(limitDefaults, JSON.parse(process.env.TEST_FIXED_LIMITS ?? '{}'))
delete process.env.TEST_FIXED_LIMITS
await import('../../src/main.ts')
