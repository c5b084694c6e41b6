import { importing } from '../make/sources.ts'
import type { TypePlan } from './plan-types.ts'

/** Generates a test of the type over HTTP. The database of the tests has the schema, without rows. */
export function testSource({ names, isReadOnly }: TypePlan, hasPolicy: boolean): string {
  const { type } = names
  const token = hasPolicy ? ', token' : ''
  const kit = [
    ...(hasPolicy ? ['asFirst'] : []),
    'type Client',
    'createTestApp',
    ...(hasPolicy ? ['createUnrestrictedApp'] : []),
  ]
  return `${importing('expect', 'chai')}
${hasPolicy ? importing('developmentTokens', '#app/plugins.ts') : ''}
${importing(kit.join(', '), '#test/support/test-kit.ts')}

describe('${type}', () => {
  ${
    hasPolicy
      ? `// Sent as \`Authorization: Bearer …\`: the first token of app/plugins.ts
  let token: ReturnType<typeof asFirst>
  /** With the policies of the project. */
  let restricted: Client
  /** With policies that allow everything. */`
      : ''
  }
  let client: Client
  before(async () => {
    ${hasPolicy ? 'token = asFirst(developmentTokens)\n    restricted = (await createTestApp()).client' : ''}
    client = (await ${hasPolicy ? 'createUnrestrictedApp' : 'createTestApp'}()).client
  })

  it('returns the collection', async () => {
    const { status, body } = await client.get('/${type}'${token})
    expect(status).to.equal(200)
    expect(body.data).to.be.an('array')
  })

  ${isReadOnly ? readOnlyTest(type, token) : ''}
  ${hasPolicy ? anonymousTest(type, isReadOnly) : ''}
})
`
}

function anonymousTest(type: string, isReadOnly: boolean): string {
  return `it('returns 401 to an anonymous requester', async () => {
    expect((await restricted.get('/${type}')).status).to.equal(401)
    ${isReadOnly ? '' : `expect((await restricted.delete('/${type}/1')).status).to.be.oneOf([401, 404])`}
  })
`
}

function readOnlyTest(type: string, token: string): string {
  return `it('returns 405 when a resource is created', async () => {
    expect((await client.post('/${type}', { data: { type: '${type}' } }${token})).status).to.equal(405)
  })
`
}
