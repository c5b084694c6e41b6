const { existsSync } = require('node:fs')

// Mocha would add the files of the command line to those named here, instead of running only them.
const named = process.argv.slice(2).some((argument) => argument.endsWith('.test.ts'))

// The processes of one run know each other by this, so that the first can clear up after the others.
process.env.TEST_RUN ??= String(process.pid)

// What maintainers of the template run beside this: `npm run test:template`.
const template = './test/template/support/hooks.ts'

module.exports = {
  ...(!named && {
    spec: [
      'test/*.test.ts',
      'test/template/specification/**/*.test.ts',
      'plugins/**/*.test.ts',
      'resources/**/*.test.ts',
    ],
    parallel: true,
    jobs: 2,
  }),
  extension: ['ts'],
  require: [...(existsSync(template) ? [template] : []), './test/support/hooks.ts'],
  timeout: 60000,
}
