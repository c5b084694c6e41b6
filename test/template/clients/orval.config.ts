const schemasOf = (name: string) => ({
  input: `./generated/${name}.json`,
  output: {
    target: `./generated/orval-${name}.ts`,
    client: 'zod',
    // Date-times have an offset, as in 1997-05-21T00:00:00+00:00.
    override: { zod: { dateTimeOptions: { offset: true } } },
  },
})

export default { default: schemasOf('default'), admin: schemasOf('admin'), live: schemasOf('live') }
