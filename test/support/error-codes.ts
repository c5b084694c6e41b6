import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { errorCatalogue } from '#app/kernel/boot/error-catalogue.ts'
import { plugins } from '#app/plugins.ts'
import { httpErrors } from '#http'

/** The file in which the processes of one run record the error codes that were returned over HTTP. */
const file = join(tmpdir(), `error-codes-${process.env.TEST_RUN}`)
const recorded = new Set<string>()

/** Records a code if the whole suite runs, which ends with `takeUnseenCodes`. */
export function recordCode(code: unknown): void {
  if (process.env.WHOLE_SUITE === undefined || typeof code !== 'string' || recorded.has(code)) return
  recorded.add(code)
  appendFileSync(file, `${code}\n`)
}

/** Returns the codes of the catalogue that no test has received, and deletes the record. */
export function takeUnseenCodes(): string[] {
  const returned = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  rmSync(file, { force: true })
  return errorCatalogue([{ errors: httpErrors }, ...plugins]).flatMap(({ code }) =>
    returned.includes(code) ? [] : code,
  )
}
