"""TRL's trainer with the reward function: a model of random weights that writes bytes, on a processor.

The model is built from its configuration, so that nothing is downloaded. It learns nothing that is worth having:
what is tested is that the trainer takes the rows and the rewards, for as many steps as it makes.
"""

import os

import pytest

pytest.importorskip("trl")

from datasets import IterableDataset  # noqa: E402
from tokenizers import Tokenizer, decoders, models, pre_tokenizers  # noqa: E402
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast  # noqa: E402
from trl import GRPOConfig, GRPOTrainer  # noqa: E402

import trl_reward  # noqa: E402
from conftest import ROOT  # noqa: E402

STEPS = int(os.environ.get("STEPS", "100"))


def tokenizer():
    """A token for each byte, and one for the end."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    own = Tokenizer(models.BPE(vocab={letter: at for at, letter in enumerate(letters)}, merges=[]))
    own.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    own.decoder = decoders.ByteLevel()
    made = PreTrainedTokenizerFast(tokenizer_object=own, eos_token="<end>", pad_token="<pad>")
    made.chat_template = (
        "{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}"
        "{% if add_generation_prompt %}assistant: {% endif %}"
    )
    return made


def model(words):
    config = LlamaConfig(
        vocab_size=len(words),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=8192,
        eos_token_id=words.eos_token_id,
        pad_token_id=words.pad_token_id,
    )
    return LlamaForCausalLM(config)


def test_steps_of_grpo_on_evolif(tmp_path):
    given = []

    def reward(**arguments):
        rewards = trl_reward.reward(**arguments)
        given.append(rewards)
        return rewards

    words = tokenizer()
    path = str(ROOT / "scenarios" / "evolif")
    trainer = GRPOTrainer(
        model=model(words),
        reward_funcs=reward,
        processing_class=words,
        train_dataset=IterableDataset.from_generator(
            trl_reward.prompts, gen_kwargs={"path": path}
        ),
        args=GRPOConfig(
            output_dir=str(tmp_path),
            max_steps=STEPS,
            per_device_train_batch_size=4,
            num_generations=4,
            max_completion_length=24,
            learning_rate=1e-3,
            use_cpu=True,
            bf16=False,
            logging_steps=1,
            report_to=[],
            save_strategy="no",
            seed=1,
        ),
    )
    trainer.train()
    assert trainer.state.global_step == STEPS
    assert len(given) == STEPS and all(len(rewards) == 4 for rewards in given)
    # None: no rule decides the first turn of that dialogue.
    flat = [one for rewards in given for one in rewards if one is not None]
    assert all(0 <= one <= 1 for one in flat) and len(set(flat)) > 1
    # What the trainer has logged are our rewards.
    logged = [entry["reward"] for entry in trainer.state.log_history if "reward" in entry]
    for at, rewards in enumerate(given):
        if None not in rewards:
            assert logged[at] == pytest.approx(sum(rewards) / 4, abs=1e-3)
