import type { RelationPlan } from './fields.ts'
import { toWords } from './names.ts'
import { importing, type ResourcePlan } from './sources.ts'
import type { Target } from './targets.ts'

/**
 * Generates a test of the resource over HTTP: reads, writes, rejected writes, relations. These tests are independent of the rules
 * of the policies, which another test checks for anonymous requesters.
 */
export function testSource(plan: ResourcePlan): string {
  const { names, relations, hasPolicy } = plan
  const required = relations.filter(({ isRequired }) => isRequired)
  const targets = [...new Set(relations.map(({ target }) => findTarget(plan, target)))]
  const isDefining = targets.some(({ type, hasFactory }) => type !== names.type && !hasFactory)
  const kit = [
    ...(hasPolicy ? ['asFirst'] : []),
    'type Client',
    'createTestApp',
    ...(hasPolicy ? ['createUnrestrictedApp'] : []),
    ...(isDefining ? ['defineFactory'] : []),
    'expectConstantQueries',
  ]
  return `${importing('expect', 'chai')}
${hasPolicy ? importing('developmentTokens', '#app/plugins.ts') : ''}
${importing(kit.join(', '), '#test/support/test-kit.ts')}
${importing(`${names.one}Factory`, './factory.ts')}
${[...new Set(targets.flatMap((target) => factoryImports(plan, target)))].join('\n')}

describe('${names.type}', () => {
  ${targets.map((target) => ownFactory(plan, target)).join('\n')}
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
  ${required.length > 0 ? relationshipsMaker(plan, required) : ''}

  ${readTest(plan)}

  ${writeTest(plan, required)}

  ${refusalTest(plan)}

  ${plan.hasSoftDeletes ? trashTest(plan) : ''}

  ${hasPolicy ? policyTest(plan) : ''}

  ${relations.length > 0 ? relationTest(plan, relations) : ''}

  ${costTest(plan, relations)}
})
`
}

function trashTest(plan: ResourcePlan): string {
  const { names, hasPolicy } = plan
  const token = tokenArgument(plan)
  const headers = hasPolicy ? 'token' : '{}'
  return `it('moves a deleted resource to the trash, and restores it', async () => {
    const { id } = await ${names.one}Factory.create()
    const path = \`/${names.type}/\${id}\`
    expect((await client.delete(path, undefined, ${headers})).status).to.equal(204)
    expect((await client.get(path${token})).status).to.equal(404)
    const restored = await client.send('POST', \`\${path}/-actions/restore\`, { headers: ${headers} })
    expect(restored.status).to.equal(200)
    expect((await client.get(path${token})).status).to.equal(200)
  })`
}

function readTest(plan: ResourcePlan): string {
  const { names } = plan
  const token = tokenArgument(plan)
  return `it('returns the collection and one resource', async () => {
    const { id } = await ${names.one}Factory.create()
    const { status, body } = await client.get('/${names.type}'${token})
    expect(status).to.equal(200)
    expect(body.data).to.have.length(1)
    const one = await client.get(\`/${names.type}/\${id}\`${token})
    expect(one.body.data).to.deep.equal(body.data[0])
  })`
}

/** The argument with the header of an authenticated caller. */
function tokenArgument({ hasPolicy }: ResourcePlan): string {
  return hasPolicy ? ', token' : ''
}

/** A row that the scope of the policy hides is a 404. */
function policyTest({ names, isPublic }: ResourcePlan): string {
  return `it('returns 401 when an anonymous requester ${isPublic ? 'writes' : 'reads or writes'}', async () => {
    const { id } = await ${names.one}Factory.create()
    const data = { type: '${names.type}', id: String(id) }
    const path = \`/${names.type}/\${id}\`
    ${
      isPublic
        ? ''
        : `expect((await restricted.get('/${names.type}')).status).to.equal(401)
    expect((await restricted.get(path)).status).to.be.oneOf([401, 404])`
    }
    expect((await restricted.post('/${names.type}', { data: { type: '${names.type}' } })).status).to.equal(401)
    expect((await restricted.patch(path, { data })).status).to.be.oneOf([401, 404])
    expect((await restricted.delete(path)).status).to.be.oneOf([401, 404])
  })`
}

function writeTest(plan: ResourcePlan, required: readonly RelationPlan[]): string {
  const { names, attributes } = plan
  const sample = JSON.stringify(
    Object.fromEntries(attributes.map(({ name, kind }) => [name, kind.sample(toWords(name))])),
  )
  const relationships = required.length > 0 ? ', relationships: await relationships()' : ''
  return `it('creates, updates and deletes a resource', async () => {
    const attributes = ${sample}
    const created = await client.post('/${names.type}', { data: { type: '${names.type}', attributes${relationships} } }${tokenArgument(plan)})
    expect(created.status, created.text).to.equal(201)
    expect(created.body.data.attributes).to.deep.equal(attributes)
    const { id } = created.body.data
    const changed = await client.patch(\`/${names.type}/\${id}\`, { data: { type: '${names.type}', id, attributes } }${tokenArgument(plan)})
    expect(changed.status, changed.text).to.equal(200)
    expect((await client.delete(\`/${names.type}/\${id}\`${plan.hasPolicy ? ', undefined, token' : ''})).status).to.equal(204)
    expect((await client.get(\`/${names.type}/\${id}\`${tokenArgument(plan)})).status).to.equal(404)
  })`
}

function refusalTest(plan: ResourcePlan): string {
  const { names, attributes, relations } = plan
  const values = attributes.flatMap(({ name, presence }) => (presence === 'required' ? name : []))
  const links = relations.flatMap(({ name, isRequired }) => (isRequired ? name : []))
  const required = [...values, ...links]
  if (required.length === 0) return ''
  const data = [
    `type: '${names.type}'`,
    ...(values.length > 0 ? [`attributes: { ${values.map((name) => `${name}: null`).join(', ')} }`] : []),
    ...(links.length > 0 ? [`relationships: { ${links.map((name) => `${name}: { data: null }`).join(', ')} }`] : []),
  ]
  const pointers = [
    ...values.map((name) => `'/data/attributes/${name}'`),
    ...links.map((name) => `'/data/relationships/${name}/data'`),
  ]
  const subject = `${required.map((name) => toWords(name)).join(' and ')} ${required.length > 1 ? 'are' : 'is'}`
  return `it('returns 422 when ${subject} null', async () => {
    const data = { ${data.join(', ')} }
    const { status, body } = await client.post('/${names.type}', { data }${tokenArgument(plan)})
    expect(status).to.equal(422)
    const pointers = body.errors.map(({ source }: { source: { pointer: string } }) => source.pointer)
    expect(pointers).to.include.members([${pointers.join(', ')}])
  })`
}

function relationTest(plan: ResourcePlan, relations: readonly RelationPlan[]): string {
  const { names } = plan
  const types = [...new Set(relations.map(({ target }) => target))].map((type) => `'${type}'`)
  return `it('returns related resources with include', async () => {
    const { id } = await ${names.one}Factory.create({ ${relatedRowsSource(plan, relations)} })
    const { status, body } = await client.get(\`/${names.type}/\${id}?include=${relations.map(({ name }) => name).join()}\`${tokenArgument(plan)})
    expect(status).to.equal(200)
    const types = body.included.map(({ type }: { type: string }) => type)
    expect([...new Set(types)]).to.have.members([${types.join(', ')}])
  })`
}

function costTest(plan: ResourcePlan, relations: readonly RelationPlan[]): string {
  const { names } = plan
  const query = relations.length > 0 ? `?include=${relations.map(({ name }) => name).join()}` : ''
  const given = relations.length > 0 ? `, { ${relatedRowsSource(plan, relations)} }` : ''
  return `it('reads any number of resources by the same number of statements', async () => {
    await expectConstantQueries({ client${plan.hasPolicy ? ', headers: token' : ''} }, '/${names.type}${query}', async () => ${names.one}Factory.createMany(3${given}))
  })`
}

/** Generates the creation of related rows. */
function relatedRowsSource(plan: ResourcePlan, relations: readonly RelationPlan[]): string {
  const members = relations.map(({ name, toMany, target }) => {
    const row = `await ${factoryName(plan, target)}.create()`
    return `${name}: ${toMany ? `[${row}]` : row}`
  })
  return members.join(', ')
}

/** Generates a function that returns the identifiers of new related rows. */
function relationshipsMaker(plan: ResourcePlan, required: readonly RelationPlan[]): string {
  const names = required.map(({ name }) => name)
  return `/** Identifiers of existing rows, as the service renders them. */
  const relationships = async () => {
    const { id } = await ${plan.names.one}Factory.create({ ${relatedRowsSource(plan, required)} })
    const { body } = await client.get(\`/${plan.names.type}/\${id}?include=${names.join()}\`${tokenArgument(plan)})
    return { ${names.map((name) => `${name}: { data: body.data.relationships.${name}.data }`).join(', ')} }
  }`
}

function factoryImports({ names }: ResourcePlan, { type, module, entity, hasFactory }: Target): string[] {
  if (type === names.type) return []
  if (hasFactory) return [importing(toFactory(entity), module.replace('entity.ts', 'factory.ts'))]
  return [importing(entity, module)]
}

function ownFactory({ names }: ResourcePlan, { type, entity, hasFactory }: Target): string {
  return hasFactory || type === names.type ? '' : `const ${toFactory(entity)} = defineFactory(${entity})`
}

function factoryName(plan: ResourcePlan, type: string): string {
  return toFactory(findTarget(plan, type).entity)
}

function toFactory(entity: string): string {
  return `${entity.charAt(0).toLowerCase()}${entity.slice(1)}Factory`
}

function findTarget({ targets }: ResourcePlan, type: string): Target {
  return targets.get(type) as Target
}
