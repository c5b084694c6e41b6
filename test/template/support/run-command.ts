import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '#test/support/app.ts'
import { unset } from '../../../scripts/support/unset.ts'
import type { ProcessResult } from './run-node.ts'

let runs = 0

/**
 * Runs a command of scripts/ in the process of the test, with arguments and variables as `runNode` does. The modules that it
 * imports are loaded only once. `runNode` shows in addition that the command starts and ends as a process.
 */
export async function runCommand(
  [script, ...args]: readonly [script: string, ...args: string[]],
  variables: Readonly<Record<string, string>> = {},
): Promise<ProcessResult> {
  const file = join(root, script)
  const { argv, exitCode, exit, env } = process
  const restore = [captureWrites(process.stdout), captureWrites(process.stderr)] as const
  let exited: number | undefined
  const read = () => restore.map(({ text }) => text()) as [string, string]
  let written: [string, string] | undefined
  try {
    process.argv = [process.execPath, file, ...args]
    process.env = { PATH: env.PATH, ...unset(), ...variables }
    process.exitCode = undefined
    process.exit = (code) => {
      exited ??= Number(code ?? process.exitCode ?? 0)
      written ??= read() // without what `finally` and `catch` blocks print after it
      throw new Error(`${script} has ended with ${exited}.`)
    }
    await import(`${pathToFileURL(file).href}?run=${++runs}`).catch((error: unknown) => {
      if (exited === undefined) throw error
    })
    const [stdout, stderr] = written ?? read()
    return { code: exited ?? Number(process.exitCode ?? 0), stdout, stderr }
  } finally {
    for (const { end } of restore) end()
    Object.assign(process, { argv, env, exit, exitCode })
  }
}

function captureWrites(stream: NodeJS.WriteStream) {
  const chunks: string[] = []
  const { write } = stream
  stream.write = (chunk: string | Uint8Array) => {
    chunks.push(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString())
    return true
  }
  return {
    text: () => chunks.join(''),
    end: () => {
      stream.write = write
    },
  }
}
