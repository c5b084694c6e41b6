// Mocha would add the files of the command line to those named here, instead of running only them.
const named = process.argv.slice(2).some((argument) => argument.endsWith('.test.ts'))

module.exports = {
  ...(!named && { spec: ['test/**/*.test.ts', 'plugins/**/*.test.ts', 'resources/**/*.test.ts'] }),
  extension: ['ts'],
  require: ['./test/support/hooks.ts'],
  timeout: 20000,
}
