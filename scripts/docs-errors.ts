import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { errorCatalogue } from '#app/kernel/boot/error-catalogue.ts'
import { plugins } from '#app/plugins.ts'
import { httpErrors } from '#http'
import { readArguments } from './support/arguments.ts'
import { errorsMarkdown } from './support/errors-markdown.ts'

readArguments({
  usage: `npm run docs -- errors

Writes docs/errors.md from the error definitions of the kernel and of all listed plugins.`,
})
writeFileSync(
  resolve(import.meta.dirname, '../docs/errors.md'),
  errorsMarkdown(errorCatalogue([{ errors: httpErrors }, ...plugins])),
)
