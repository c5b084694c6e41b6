const { existsSync, globSync } = require('node:fs')
const { enableCompileCache } = require('node:module')
const { join } = require('node:path')

// Mocha would add the files of the command line to those named here, instead of running only them.
const named = process.argv.slice(2).some((argument) => argument.endsWith('.test.ts'))

// The processes of one run know each other by this, so that the first can clear up after the others.
process.env.TEST_RUN ??= String(process.pid)

// The processes of a run, and of later runs, read the code that another one has compiled, as `npm start` does; also those of copies of the
// project, because paths in the cache are relative.
process.env.NODE_COMPILE_CACHE ??= join(__dirname, '.warm/compiled')
process.env.NODE_COMPILE_CACHE_PORTABLE ??= '1'
enableCompileCache(process.env.NODE_COMPILE_CACHE)

// What maintainers of the template run beside this: `npm run template -- test`.
const template = './test/template/support/hooks.ts'

module.exports = {
  ...(!named && {
    spec: [
      'test/*.test.ts',
      'test/template/specification/**/*.test.ts',
      'plugins/**/*.test.ts',
      'resources/**/*.test.ts',
    ].filter((pattern) => globSync(pattern).length > 0),
    parallel: true,
    jobs: 2,
  }),
  extension: ['ts'],
  require: [...(existsSync(template) ? [template] : []), './test/support/hooks.ts'],
  timeout: 180000, // ends a test that hangs; a slow machine needs more than a minute for some
}
