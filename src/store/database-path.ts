/** Where the database of a data folder is. */
import { join } from 'node:path'

export const databasePath = (dataFolder: string): string => join(dataFolder, 'tollgate.db')
