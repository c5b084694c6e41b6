const project = require('../../.mocharc.cjs')

// The tests of the template itself: `npm run test:template`. With DATABASE_URL also the tests of `npm test`, without those
// that do not depend on the database, or start commands with a database of their own.

// Only the whole suite, which runs on a server, can be asked what it has left out.
if (project.spec && process.env.DATABASE_URL) process.env.WHOLE_SUITE = 'true'

const onlyEmbedded = [
  'plugins/api-keys/test/key-create.test.ts',
  'test/template/commands/{doctor,migrate-create,removal}.test.ts',
  'test/template/commands/explain/command.test.ts',
  'test/template/documentation/coverage-spec.test.ts',
  'test/template/how-to/**',
  'test/template/process/{scripts,migrate-commands,lock,dev,start-log}.test.ts',
  'test/template/proofs/{metamorphic,mutants}/**',
  'test/template/prove/policies.test.ts',
  'test/template/structure/**',
  'test/template/typed-client/**',
  'test/template/update/**',
]
const onlyServer = [
  'test/template/commands/existing-database.test.ts',
  'test/template/store/statements/cache-limits.test.ts',
]

// Commands of their own: `test:endurance`, `test:marathon`, `test:browser`, `test:clients`.
const apart = ['test/template/proofs/{endurance,marathon}/**', 'test/template/{browser,clients}/**']

module.exports = {
  ...project,
  ...(project.spec && {
    spec: process.env.DATABASE_URL ? [...project.spec, 'test/template/**/*.test.ts'] : ['test/template/**/*.test.ts'],
    ignore: process.env.DATABASE_URL
      ? [...apart, ...onlyEmbedded]
      : [...apart, ...onlyServer, 'test/template/specification/**'],
  }),
}
