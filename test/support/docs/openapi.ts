import { Ajv2020 } from 'ajv/dist/2020.js';

/** The parts of an OpenAPI document that tests look at. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, Answer>>;
    readonly headers: Readonly<Record<string, { readonly required?: boolean }>>;
  };
}

export interface Operation {
  readonly operationId: string;
  readonly deprecated?: boolean;
  readonly description?: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Answer | { readonly $ref: string }>>;
}

export interface Answer {
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: Readonly<Record<string, Media>>;
}

export interface Media {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

/** Every operation with its path and method. */
export function operationsOf(document: Document): { path: string; method: string; operation: Operation }[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
}

/** The described answer of an operation with a status. */
export function answerOf(document: Document, operation: Operation, status: number | string): Answer {
  const answer = operation.responses[status];
  if (!answer) throw new Error(`${operation.operationId} does not describe the status ${status}`);
  return '$ref' in answer ? (document.components.responses[lastOf(answer.$ref)] as Answer) : answer;
}

/** The headers that such an answer always has. */
export function requiredHeaders(document: Document, answer: Answer): string[] {
  return Object.entries(answer.headers ?? {})
    .filter(([, { $ref }]) => document.components.headers[lastOf($ref)]?.required)
    .map(([name]) => name);
}

/** Checks values against schemas of the document; the answer is what is wrong. */
export function validatorOf(document: Document): (schema: object, value: unknown) => string[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  return (schema, value) => {
    const validate = ajv.compile({ ...schema, components: document.components });
    return validate(value) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
  };
}

function lastOf(ref: string): string {
  return ref.split('/').at(-1) as string;
}
