import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { root } from '#test/support/app.ts'
import { parseExample } from '../../../scripts/support/env-example.ts'

// Checks the files for Docker and CI against the project, without running either.

interface Service {
  readonly profiles: readonly string[]
  readonly image?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly healthcheck?: object
}

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const { services, volumes } = parse(read('compose.yaml'), { merge: true }) as {
  services: Record<string, Service>
  volumes: Record<string, unknown>
}
const entries = Object.entries(services)
const applications = entries.filter(([, { image }]) => image === 'koa-jsonapi-template')

describe('compose.yaml', () => {
  it('sets only variables that the application reads', () => {
    expect(applications.map(([name]) => name)).to.deep.equal(['application', 'application-1', 'application-2'])
    const variables = Object.keys(parseExample(read('.env.example')))
    for (const [name, { environment = {} }] of applications) {
      expect(variables, name).to.include.members(Object.keys(environment))
      expect(environment, name).to.include.keys('DATABASE_URL', 'JWT_SECRET')
    }
  })

  it('has a health check for every dependency, and every dependency in the same profiles', () => {
    for (const [name, { profiles, depends_on = {} }] of entries) {
      for (const [other, { condition }] of Object.entries(depends_on)) {
        expect(services[other]?.profiles, `${name} waits for ${other}`).to.include.members([...profiles])
        const isApplication = applications.some(([candidate]) => candidate === other)
        expect(condition).to.equal('service_healthy')
        expect(isApplication || services[other]?.healthcheck !== undefined, other).to.equal(true)
      }
    }
  })

  it('mounts existing files and declared volumes', () => {
    const sources = entries.flatMap(([, service]) => service.volumes ?? []).map((volume) => volume.split(':')[0] ?? '')
    expect(sources).to.include('./deploy/haproxy.cfg')
    for (const source of sources) {
      expect(source.startsWith('./') ? existsSync(join(root, source)) : source in volumes, source).to.equal(true)
    }
  })
})

describe('Dockerfile', () => {
  const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files = '']) =>
    files.split(' '),
  )
  const allowed = [...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, file]) => file)

  it('copies existing files, and exactly the files that .dockerignore allows', () => {
    expect(new Set(copied)).to.deep.equal(new Set(allowed))
    for (const file of copied) expect(existsSync(join(root, file)), file).to.equal(true)
  })

  it('copies all folders that the application imports', () => {
    // `#client` is for tests and examples.
    const { imports } = JSON.parse(read('package.json')) as { imports: Record<string, string> }
    const folders = Object.values(imports).flatMap((path) => path.split('/')[1] ?? [])
    expect(copied).to.include.members(folders.filter((folder) => folder !== 'test' && folder !== 'clients'))
  })
})

describe('CI workflow', () => {
  it('runs .ci/run', () => {
    const { jobs } = parse(read('.github/workflows/ci.yml'))
    expect(jobs.tests.steps.map(({ run }: { run?: string }) => run)).to.include('.ci/run')
  })

  it('runs commands whose files and patterns mocha finds; it only warns about others', () => {
    const words = `${read('.ci/run')} ${read('package.json')}`.split(/[\s'"\\]+/)
    const patterns = words.filter((word) => word.endsWith('.test.ts'))
    expect(patterns.filter((pattern) => globSync(pattern, { cwd: root }).length === 0)).to.deep.equal([])
    // Mocha expands braces only in patterns with a wildcard.
    expect(patterns.filter((pattern) => pattern.includes('{') && !pattern.includes('*'))).to.deep.equal([])
  })
})
