import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../support/project.ts'

/** Formats files or folders as `npm run check -- format` does. */
export async function format(...paths: readonly string[]): Promise<void> {
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
  await promisify(execFile)(process.execPath, [biome, 'check', '--write', ...paths], { cwd: root })
}
