import { spawnSync } from 'node:child_process'

// The commands of the template import only Node and git, so that they run while other sources have merge conflicts.

/** A reason not to run, printed without a stack trace. */
export class TemplateError extends Error {}

/** Runs git in a folder and returns its output. Throws the message of git if it fails. */
export function git(folder: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnGit(folder, args)
  if (status !== 0) throw new TemplateError(`git ${args[0]}: ${stderr.toString().trim()}`)
  return stdout.toString().trimEnd()
}

/** Returns null if git fails. */
export function tryGit(folder: string, ...args: readonly string[]): string | null {
  const { status, stdout } = spawnGit(folder, args)
  return status === 0 ? stdout.toString().trimEnd() : null
}

export function spawnGit(folder: string, args: readonly string[], input?: string) {
  const options = { cwd: folder, maxBuffer: 2 ** 28, ...(input !== undefined && { input }) }
  const result = spawnSync('git', [...args], options)
  if (result.error) throw new TemplateError(`git does not run: ${result.error.message}`)
  return result
}

/** Prints expected errors as a sentence and sets the exit code. */
export async function reportTemplateErrors(work: () => Promise<void> | void): Promise<void> {
  try {
    await work()
  } catch (error) {
    console.error(error instanceof TemplateError ? error.message : error)
    process.exitCode = 1
  }
}
