// Enters a control group and then becomes the program, so that all of its memory is counted there.
import { writeFileSync } from 'node:fs'

const { TEST_MEMORY_GROUP: group, TEST_MEMORY_PROGRAM: program, ...environment } = process.env
writeFileSync(group ?? '', String(process.pid))
process.execve?.(process.execPath, [process.execPath, program ?? '', ...process.argv.slice(2)], environment)
