import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { errorCatalogue } from '#app/kernel/boot/error-catalogue.ts'
import { plugins } from '#app/plugins.ts'

/** Where the processes of one run note the codes that were answered over HTTP. */
const file = join(tmpdir(), `error-codes-${process.env.TEST_RUN}`)
const noted = new Set<string>()

export function noteCode(code: unknown): void {
  if (process.env.TEST_RUN === undefined || typeof code !== 'string' || noted.has(code)) return
  noted.add(code)
  appendFileSync(file, `${code}\n`)
}

/** The codes of the catalogue that no test has got to see; forgets what was noted. */
export function takeUnseenCodes(): string[] {
  const seen = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  rmSync(file, { force: true })
  return errorCatalogue(plugins).flatMap(({ code }) => (seen.includes(code) ? [] : code))
}
