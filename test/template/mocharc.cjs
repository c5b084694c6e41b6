const project = require('../../.mocharc.cjs')

// `npm run template -- test`: the tests of the template that are independent of the database, need the embedded one, or start
// commands with a database of their own. With DATABASE_URL, for `npm run test:postgres`: the tests of `npm test`, and those of the
// template that read and write rows. Mocha runs a file twice that two patterns match,
// and does not expand braces in patterns of files to run.

// Only the suite of a server, which has the most requests, can be asked which errors it has left out.
if (project.spec && process.env.DATABASE_URL) process.env.WHOLE_SUITE = 'true'

const onlyServer = [
  'test/template/authorization/**/*.test.ts',
  'test/template/commands/existing-database.test.ts',
  'test/template/kernel/**/*.test.ts',
]
const server = {
  spec: [
    ...(project.spec ?? []),
    ...onlyServer,
    'test/template/commands/doctor-live.test.ts',
    'test/template/commands/explain/explain.test.ts',
    'test/template/http/deadline.test.ts',
    'test/template/http/hosts.test.ts',
    'test/template/process/database.test.ts',
    'test/template/process/migrations.test.ts',
    'test/template/process/missing-columns.test.ts',
    'test/template/process/seed.test.ts',
    'test/template/process/statements.test.ts',
    'test/template/proofs/faults/**/*.test.ts',
    'test/template/store/**/*.test.ts',
  ],
  // They send requests that read the same rows as others, or none.
  ignore: [
    'test/imports.test.ts',
    'plugins/{bearer-auth,client-types,compression,cors,health,home,load-shedding,openapi,request-log}/**',
    'plugins/{cursor-profile,http-headers,metrics,rate-limit,security-headers,slow-requests,sparse-fieldsets,tracing}/**',
  ],
}

// Sub-commands of `npm run template`: endurance, marathon, browser, clients.
const apart = ['test/template/proofs/{endurance,marathon}/**', 'test/template/{browser,clients}/**']
const embedded = {
  spec: ['test/template/structure/**/*.test.ts', 'test/template/!(structure)/**/*.test.ts'], // the longest first
  ignore: [...apart, ...onlyServer, 'test/template/specification/**'],
}

// Most of these tests wait for a server or for processes that they start.
const jobs = process.env.DATABASE_URL ? 3 : 4

module.exports = { ...project, ...(project.spec && { jobs, ...(process.env.DATABASE_URL ? server : embedded) }) }
