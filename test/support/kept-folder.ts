/** Where a run of the tests finds what an earlier one has unpacked: its own temporary folder is removed with it. */
import { tmpdir } from 'node:os'

export const keptFolder = process.env.TOLLGATE_TESTS_KEPT_FOLDER ?? tmpdir()
