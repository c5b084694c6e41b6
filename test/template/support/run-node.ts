import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import { unset } from '../../../scripts/support/unset.ts'

export interface ProcessResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

interface RunOptions {
  /** The working directory; default: the project. */
  readonly cwd?: string
  /** The variables of the application; others are empty, so that .env and the environment of the tests have no effect. */
  readonly env?: Readonly<Record<string, string>>
}

/** Node reads the code that earlier processes of the project or of copies have compiled: paths in the cache are relative. */
export const compiledCode = (project = root) => ({
  NODE_COMPILE_CACHE: join(project, '.warm/compiled'),
  NODE_COMPILE_CACHE_PORTABLE: '1',
})

/** Runs a script in its own process. The first argument is its path. */
export async function runNode(
  args: readonly string[],
  { cwd = root, env = {} }: RunOptions = {},
): Promise<ProcessResult> {
  const variables = { PATH: process.env.PATH, ...compiledCode(), ...unset(), ...env }
  const options = { cwd, env: variables, maxBuffer: 2 ** 26 }
  return promisify(execFile)(process.execPath, [...args], options).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: ProcessResult) => ({ code, stdout, stderr }),
  )
}

export function expectSuccess(result: ProcessResult): ProcessResult {
  expect(result.code, `${result.stdout}\n${result.stderr}`).to.equal(0)
  return result
}
