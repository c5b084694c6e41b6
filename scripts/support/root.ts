import { join, resolve } from 'node:path'

/** The folder of the project. */
export const root = resolve(import.meta.dirname, '../..')

/** Code that Node has compiled, for the next process. */
export const compileCache = join(root, '.warm/compiled')
