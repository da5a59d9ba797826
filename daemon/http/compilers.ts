/**
 * Fastify's validators and serializers, loaded when they are first needed: they are most of what Fastify costs a process
 * that never uses them.
 */
import { createRequire } from "node:module";
import type { FastifyServerOptions } from "fastify";

type SchemaController = NonNullable<FastifyServerOptions["schemaController"]>;

interface Definition {
  readonly schema: unknown;
  readonly httpPart?: string;
}
/** Says what is wrong with its last value in `errors`. */
interface Check {
  (value: unknown): unknown;
  errors?: unknown;
}
type Compile<Compiled> = (definition: Definition) => Compiled;
type Builder<Compiled> = (...options: unknown[]) => Compile<Compiled>;

/** As Fastify itself would find them: they are its dependencies. Written as the bundler expects: see scripts/bundle.mjs. */
const validators = (): Builder<Check> =>
  createRequire(import.meta.resolve("fastify"))("@fastify/ajv-compiler")();
const serializers = (): Builder<(value: unknown) => string> =>
  createRequire(import.meta.resolve("fastify"))("@fastify/fast-json-stringify-compiler")();

/** Loads each with the first schema that is registered: a faulty schema is found when the application is built. */
export const withFirstSchema = controller({
  buildValidator: (...options) => {
    const compile = validators()(...options);
    return (definition) => compile(withSmallHeaders(definition));
  },
  buildSerializer: (...options) => serializers()(...options),
});

/**
 * Loads validators with the first request that is checked, for schemas that are known to be sound. Answers are sent as
 * they were made.
 */
export const withFirstRequest = controller({
  buildValidator: (...options) => {
    let compile: Compile<Check> | undefined;
    return (definition) => {
      let check: Check | undefined;
      const lazy: Check = (value) => {
        compile ??= validators()(...options);
        check ??= compile(definition);
        const holds = check(value);
        lazy.errors = check.errors ?? null;
        return holds;
      };
      return lazy;
    };
  },
  buildSerializer: () => () => (value) => JSON.stringify(value),
});

function controller(compilersFactory: {
  readonly buildValidator: Builder<Check>;
  readonly buildSerializer: Builder<(value: unknown) => string>;
}): SchemaController {
  // Its own types are those of the libraries that are not to be loaded.
  return { compilersFactory } as unknown as SchemaController;
}

/** Headers arrive in lower case. Fastify adapts their schemas for its own compilers only, and these count as foreign. */
function withSmallHeaders(definition: Definition): Definition {
  const { schema, httpPart } = definition;
  if (httpPart !== "headers" || typeof schema !== "object" || schema === null) return definition;
  const { required, properties, ...rest } = schema as {
    readonly required?: readonly string[];
    readonly properties?: Readonly<Record<string, unknown>>;
  };
  return {
    ...definition,
    schema: {
      ...rest,
      ...(required && { required: required.map((name) => name.toLowerCase()) }),
      ...(properties && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, value]) => [name.toLowerCase(), value]),
        ),
      }),
    },
  };
}
