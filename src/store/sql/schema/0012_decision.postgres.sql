-- Decisions: models of them, what each version offers, and every evaluation that an instance made.
--
-- The twin of 0012_decision.sqlite.sql. What is deployed together has one deployment_id, so that a
-- task can call the decision that came with its process. Processes of earlier versions of the
-- schema have none.

ALTER TABLE process_definition ADD COLUMN deployment_id bigint;
ALTER TABLE process_definition ADD CONSTRAINT process_definition_deployment CHECK (
  deployment_id > 0) NOT VALID;

ALTER TABLE incident DROP CONSTRAINT incident_kind;
ALTER TABLE incident ADD CONSTRAINT incident_kind CHECK (
  kind = 'expression_error' OR kind = 'no_outgoing_flow' OR kind = 'retries_exhausted'
  OR kind = 'join_unreachable' OR kind = 'bad_timer' OR kind = 'engine_error'
  OR kind = 'unhandled_error' OR kind = 'bad_correlation_key' OR kind = 'call_failed'
  OR kind = 'compensation_failed' OR kind = 'decision_failed') NOT VALID;

-- A process comes in a deployment once.
CREATE UNIQUE INDEX process_definition_deployment_once
  ON process_definition (deployment_id, process_id) WHERE deployment_id IS NOT NULL;

DROP TRIGGER process_definition_immutable ON process_definition;
CREATE TRIGGER process_definition_immutable
BEFORE UPDATE OF id, tenant_id, process_id, version, kind, name, version_tag, resource_name, source,
  digest, deployed_at, deployment_id ON process_definition FOR EACH ROW
EXECUTE FUNCTION refuse_change();

-- One version of one decision model: a file with the files that it imports, which makes it whole.
CREATE TABLE decision_requirements (
  id bigint CONSTRAINT decision_requirements_key PRIMARY KEY,
  tenant_id text COLLATE "C" NOT NULL,
  model_id text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  name text NOT NULL,
  resource_name text NOT NULL,
  source text NOT NULL,
  imports json NOT NULL,
  digest text NOT NULL,
  deployment_id bigint NOT NULL,
  deployed_at timestamptz NOT NULL,
  CONSTRAINT decision_requirements_id CHECK (id > 0),
  CONSTRAINT decision_requirements_model_id CHECK (model_id <> ''),
  CONSTRAINT decision_requirements_version CHECK (version >= 1),
  CONSTRAINT decision_requirements_imports CHECK (json_typeof(imports) = 'array'),
  CONSTRAINT decision_requirements_digest CHECK (length(digest) = 64),
  CONSTRAINT decision_requirements_deployment CHECK (deployment_id > 0)
);

-- Serves: the latest version of a model.
CREATE UNIQUE INDEX decision_requirements_version_once
  ON decision_requirements (tenant_id, model_id, version);
CREATE UNIQUE INDEX decision_requirements_deployment_once
  ON decision_requirements (deployment_id, model_id);

CREATE TRIGGER decision_requirements_immutable BEFORE UPDATE ON decision_requirements FOR EACH ROW
EXECUTE FUNCTION refuse_change();

-- One version of one decision or decision service of a model.
CREATE TABLE decision_definition (
  id bigint CONSTRAINT decision_definition_key PRIMARY KEY,
  tenant_id text COLLATE "C" NOT NULL,
  decision_id text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  version_tag text COLLATE "C",
  requirements_id bigint NOT NULL REFERENCES decision_requirements (id),
  deployment_id bigint NOT NULL,
  deployed_at timestamptz NOT NULL,
  -- What an evaluation says of its decision is true: it refers to all three.
  CONSTRAINT decision_definition_named UNIQUE (id, decision_id, version),
  CONSTRAINT decision_definition_id CHECK (id > 0),
  CONSTRAINT decision_definition_decision_id CHECK (decision_id <> ''),
  CONSTRAINT decision_definition_version CHECK (version >= 1),
  CONSTRAINT decision_definition_kind CHECK (kind = 'decision' OR kind = 'service'),
  CONSTRAINT decision_definition_version_tag CHECK (version_tag <> ''),
  CONSTRAINT decision_definition_deployment CHECK (deployment_id > 0)
);

-- Serves: the latest version of a decision.
CREATE UNIQUE INDEX decision_definition_version_once
  ON decision_definition (tenant_id, decision_id, version);
-- A decision comes in a deployment once; serves the look-up of what came with a process.
CREATE UNIQUE INDEX decision_definition_deployment_once
  ON decision_definition (deployment_id, decision_id);
-- Serves: the latest version with a tag.
CREATE INDEX decision_definition_tag
  ON decision_definition (tenant_id, decision_id, version_tag, version)
  WHERE version_tag IS NOT NULL;
-- Serves: the decisions of a model.
CREATE INDEX decision_definition_requirements ON decision_definition (requirements_id);

CREATE TRIGGER decision_definition_immutable BEFORE UPDATE ON decision_definition FOR EACH ROW
EXECUTE FUNCTION refuse_change();

-- One evaluation by a step of an instance: what went in, which rules matched, what came out, and,
-- when it failed, why.
CREATE TABLE decision_evaluation (
  id bigint CONSTRAINT decision_evaluation_key PRIMARY KEY,
  instance_id bigint NOT NULL REFERENCES process_instance (id),
  token_id bigint NOT NULL,
  step_id bigint NOT NULL,
  node_id text COLLATE "C" NOT NULL,
  definition_id bigint NOT NULL,
  decision_id text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  inputs json NOT NULL,
  output json NOT NULL,
  matched_rules json NOT NULL,
  evaluated json NOT NULL,
  warnings json NOT NULL,
  error text,
  evaluated_at timestamptz NOT NULL,
  FOREIGN KEY (instance_id, token_id) REFERENCES token (instance_id, id),
  FOREIGN KEY (instance_id, step_id) REFERENCES step_record (instance_id, id),
  FOREIGN KEY (definition_id, decision_id, version)
    REFERENCES decision_definition (id, decision_id, version),
  CONSTRAINT decision_evaluation_id CHECK (id > 0),
  CONSTRAINT decision_evaluation_node_id CHECK (node_id <> ''),
  CONSTRAINT decision_evaluation_inputs CHECK (json_typeof(inputs) = 'object'),
  CONSTRAINT decision_evaluation_matched_rules CHECK (json_typeof(matched_rules) = 'array'),
  CONSTRAINT decision_evaluation_evaluated CHECK (json_typeof(evaluated) = 'array'),
  CONSTRAINT decision_evaluation_warnings CHECK (json_typeof(warnings) = 'array'),
  CONSTRAINT decision_evaluation_error CHECK (error <> '')
);

-- Serves: the evaluations of an instance or of a step; and before a step goes, those that refer to
-- it are asked.
CREATE INDEX decision_evaluation_step ON decision_evaluation (instance_id, step_id);
CREATE INDEX decision_evaluation_token ON decision_evaluation (instance_id, token_id);

CREATE TRIGGER decision_evaluation_immutable BEFORE UPDATE ON decision_evaluation FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER decision_evaluation_kept AFTER DELETE ON decision_evaluation
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();
