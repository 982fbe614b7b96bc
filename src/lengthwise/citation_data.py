"""The works that lengthwise rests on, as plain text; ``lengthwise.citations`` makes them into values.

A work takes three lines: its key, year and place, then its title, then its authors. The key is the arXiv id, and the place
the venue, if any; of works that are not on arXiv it is a short name, and the place an address, if any. Authors are
"Family, Given", separated by semicolons: all of them up to eight, otherwise the first three and "others". A year is that
of the venue where one is named, otherwise that of the first version on arXiv. A venue is left out where the title that it
printed differs from the one on arXiv, or where it printed the work much later.
"""

from __future__ import annotations

PAPERS = """
1706.03762 2017 NeurIPS
Attention Is All You Need
Vaswani, Ashish; Shazeer, Noam; Parmar, Niki; Uszkoreit, Jakob; Jones, Llion; Gomez, Aidan N.; Kaiser, Łukasz; Polosukhin, Illia

1711.00350 2018 ICML
Generalization without systematicity: On the compositional skills of sequence-to-sequence recurrent networks
Lake, Brenden M.; Baroni, Marco

1803.02155 2018 NAACL
Self-Attention with Relative Position Representations
Shaw, Peter; Uszkoreit, Jakob; Vaswani, Ashish

1804.06028 2018 NAACL Student Research Workshop
ListOps: A Diagnostic Dataset for Latent Tree Learning
Nangia, Nikita; Bowman, Samuel R.

1901.02860 2019 ACL
Transformer-XL: Attentive Language Models Beyond a Fixed-Length Context
Dai, Zihang; Yang, Zhilin; Yang, Yiming; Carbonell, Jaime; Le, Quoc V.; Salakhutdinov, Ruslan

1908.06177 2019 EMNLP
CLUTRR: A Diagnostic Benchmark for Inductive Reasoning from Text
Sinha, Koustuv; Sodhani, Shagun; Dong, Jin; Pineau, Joelle; Hamilton, William L.

1908.08351 2019
Compositionality decomposed: how do neural networks generalise?
Hupkes, Dieuwke; Dankers, Verna; Mul, Mathijs; Bruni, Elia

1910.10683 2020 JMLR
Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer
Raffel, Colin; Shazeer, Noam; Roberts, Adam; others

1911.03329 2019
Memory-Augmented Recurrent Neural Networks Can Learn Generalized Dyck Languages
Suzgun, Mirac; Gehrmann, Sebastian; Belinkov, Yonatan; Shieber, Stuart M.

2004.05150 2020
Longformer: The Long-Document Transformer
Beltagy, Iz; Peters, Matthew E.; Cohan, Arman

2006.03654 2021 ICLR
DeBERTa: Decoding-enhanced BERT with Disentangled Attention
He, Pengcheng; Liu, Xiaodong; Gao, Jianfeng; Chen, Weizhu

2009.11264 2020 EMNLP
On the Ability and Limitations of Transformers to Recognize Formal Languages
Bhattamishra, Satwik; Ahuja, Kabir; Goyal, Navin

2010.05465 2020 EMNLP
COGS: A Compositional Generalization Challenge Based on Semantic Interpretation
Kim, Najoung; Linzen, Tal

2010.07515 2020 EMNLP
RNNs can generate bounded hierarchical languages with optimal memory
Hewitt, John; Hahn, Michael; Ganguli, Surya; Liang, Percy; Manning, Christopher D.

2104.09864 2021
RoFormer: Enhanced Transformer with Rotary Position Embedding
Su, Jianlin; Lu, Yu; Pan, Shengfeng; Murtadha, Ahmed; Wen, Bo; Liu, Yunfeng

2106.01950 2021 ACL
The Case for Translation-Invariant Self-Attention in Transformer-Based Language Models
Wennberg, Ulme; Henter, Gustav Eje

2106.06981 2021 ICML
Thinking Like Transformers
Weiss, Gail; Goldberg, Yoav; Yahav, Eran

2108.00154 2022 ICLR
CrossFormer: A Versatile Vision Transformer Hinging on Cross-scale Attention
Wang, Wenxiao; Yao, Lu; Chen, Long; Lin, Binbin; Cai, Deng; He, Xiaofei; Liu, Wei

2108.12409 2022 ICLR
Train Short, Test Long: Attention with Linear Biases Enables Input Length Extrapolation
Press, Ofir; Smith, Noah A.; Lewis, Mike

2109.05644 2021 EMNLP
SHAPE: Shifted Absolute Position Embedding for Transformers
Kiyono, Shun; Kobayashi, Sosuke; Suzuki, Jun; Inui, Kentaro

2202.12172 2022 ACL
Overcoming a Theoretical Limitation of Self-Attention
Chiang, David; Cholak, Peter

2203.16634 2022 Findings of EMNLP
Transformer Language Models without Positional Encodings Still Learn Positional Information
Haviv, Adi; Ram, Ori; Press, Ofir; Izsak, Peter; Levy, Omer

2204.06745 2022 Workshop on Challenges & Perspectives in Creating Large Language Models
GPT-NeoX-20B: An Open-Source Autoregressive Language Model
Black, Sid; Biderman, Stella; Hallahan, Eric; others

2205.09921 2022 NeurIPS
KERPLE: Kernelized Relative Positional Embedding for Length Extrapolation
Chi, Ta-Chung; Fan, Ting-Han; Ramadge, Peter J.; Rudnicky, Alexander I.

2206.04301 2022
Unveiling Transformers with LEGO: a synthetic reasoning task
Zhang, Yi; Backurs, Arturs; Bubeck, Sébastien; Eldan, Ronen; Gunasekar, Suriya; Wagner, Tal

2207.02098 2023 ICLR
Neural Networks and the Chomsky Hierarchy
Delétang, Grégoire; Ruoss, Anian; Grau-Moya, Jordi; others

2207.04901 2022 NeurIPS
Exploring Length Generalization in Large Language Models
Anil, Cem; Wu, Yuhuai; Andreassen, Anders; others

2208.01066 2022 NeurIPS
What Can Transformers Learn In-Context? A Case Study of Simple Function Classes
Garg, Shivam; Tsipras, Dimitris; Liang, Percy; Valiant, Gregory

2212.10356 2023 ACL
Dissecting Transformer Length Extrapolation via the Lens of Receptive Field Analysis
Chi, Ta-Chung; Fan, Ting-Han; Rudnicky, Alexander I.; Ramadge, Peter J.

2212.10554 2023 ACL
A Length-Extrapolatable Transformer
Sun, Yutao; Dong, Li; Patra, Barun; others

2304.07687 2024 JMLR
MLRegTest: A Benchmark for the Machine Learning of Regular Languages
van der Poel, Sam; Lambert, Dakotah; Kostyszyn, Kalina; others

2305.16843 2023 ACL
Randomized Positional Encodings Boost Length Generalization of Transformers
Ruoss, Anian; Delétang, Grégoire; Genewein, Tim; Grau-Moya, Jordi; Csordás, Róbert; Bennani, Mehdi; Legg, Shane; Veness, Joel

2305.19466 2023 NeurIPS
The Impact of Positional Encoding on Length Generalization in Transformers
Kazemnejad, Amirhossein; Padhi, Inkit; Natesan Ramamurthy, Karthikeyan; Das, Payel; Reddy, Siva

2306.00946 2023 NeurIPS
Exposing Attention Glitches with Flip-Flop Language Modeling
Liu, Bingbin; Ash, Jordan T.; Goel, Surbhi; Krishnamurthy, Akshay; Zhang, Cyril

2306.15595 2023
Extending Context Window of Large Language Models via Positional Interpolation
Chen, Shouyuan; Wong, Sherman; Chen, Liangjian; Tian, Yuandong

2307.03381 2024 ICLR
Teaching Arithmetic to Small Transformers
Lee, Nayoung; Sreenivasan, Kartik; Lee, Jason D.; Lee, Kangwook; Papailiopoulos, Dimitris

2308.15594 2024 ICLR
Learning the greatest common divisor: explaining transformer predictions
Charton, François

2309.00071 2024 ICLR
YaRN: Efficient Context Window Extension of Large Language Models
Peng, Bowen; Quesnelle, Jeffrey; Fan, Honglu; Shippole, Enrico

2309.10400 2024 ICLR
PoSE: Efficient Context Window Extension of LLMs via Positional Skip-wise Training
Zhu, Dawei; Yang, Nan; Wang, Liang; Song, Yifan; Wu, Wenhao; Wei, Furu; Li, Sujian

2309.16039 2024 NAACL
Effective Long-Context Scaling of Foundation Models
Xiong, Wenhan; Liu, Jingyu; Molybog, Igor; others

2310.04418 2024 ICLR
Functional Interpolation for Relative Positions Improves Long Context Transformers
Li, Shanda; You, Chong; Guruganesh, Guru; others

2310.16028 2024 ICLR
What Algorithms can Transformers Learn? A Study in Length Generalization
Zhou, Hattie; Bradley, Arwen; Littwin, Etai; Razin, Noam; Saremi, Omid; Susskind, Josh; Bengio, Samy; Nakkiran, Preetum

2312.04927 2024 ICLR
Zoology: Measuring and Improving Recall in Efficient Language Models
Arora, Simran; Eyuboglu, Sabri; Timalsina, Aman; Johnson, Isys; Poli, Michael; Zou, James; Rudra, Atri; Ré, Christopher

2401.12973 2024 ICML
In-Context Language Learning: Architectures and Algorithms
Akyürek, Ekin; Wang, Bailin; Kim, Yoon; Andreas, Jacob

2402.01032 2024 ICML
Repeat After Me: Transformers are Better than State Space Models at Copying
Jelassi, Samy; Brandfonbrener, David; Kakade, Sham M.; Malach, Eran

2402.09371 2024
Transformers Can Achieve Length Generalization But Not Robustly
Zhou, Yongchao; Alon, Uri; Chen, Xinyun; Wang, Xuezhi; Agarwal, Rishabh; Zhou, Denny

2402.11004 2024 NeurIPS
The Evolution of Statistical Induction Heads: In-Context Learning Markov Chains
Edelman, Benjamin L.; Edelman, Ezra; Goel, Surbhi; Malach, Eran; Tsilivis, Nikolaos

2402.13753 2024 ICML
LongRoPE: Extending LLM Context Window Beyond 2 Million Tokens
Ding, Yiran; Zhang, Li Lyna; Zhang, Chengruidong; Xu, Yuanyuan; Shang, Ning; Xu, Jiahang; Yang, Fan; Yang, Mao

2403.06963 2024 ICML
The pitfalls of next-token prediction
Bachmann, Gregor; Nagarajan, Vaishnavh

2404.00560 2024
A Theory for Length Generalization in Learning to Reason
Xiao, Changnan; Liu, Bing

2404.04393 2024 COLM
Counting Like Transformers: Compiling Temporal Counting Logic Into Softmax Transformers
Yang, Andy; Chiang, David

2404.06654 2024 COLM
RULER: What's the Real Context Size of Your Long-Context Language Models?
Hsieh, Cheng-Ping; Sun, Simeng; Kriman, Samuel; Acharya, Shantanu; Rekesh, Dima; Jia, Fei; Zhang, Yang; Ginsburg, Boris

2404.08819 2024 ICML
The Illusion of State in State-Space Models
Merrill, William; Petty, Jackson; Sabharwal, Ashish

2405.14591 2024 NeurIPS
Base of RoPE Bounds Context Length
Men, Xin; Xu, Mingyu; Wang, Bingning; Zhang, Qingyu; Lin, Hongyu; Han, Xianpei; Chen, Weipeng

2405.14722 2024 NeurIPS
DAPE: Data-Adaptive Positional Encoding for Length Extrapolation
Zheng, Chuanyang; Gao, Yihang; Shi, Han; others

2405.17399 2024 NeurIPS
Transformers Can Do Arithmetic with the Right Embeddings
McLeish, Sean; Bansal, Arpit; Stein, Alex; others

2405.18719 2024
Contextual Position Encoding: Learning to Count What's Important
Golovneva, Olga; Wang, Tianlu; Weston, Jason; Sukhbaatar, Sainbayar

2405.20671 2024 NeurIPS
Position Coupling: Improving Length Generalization of Arithmetic Transformers Using Task Structure
Cho, Hanseul; Cha, Jaeyoung; Awasthi, Pranjal; Bhojanapalli, Srinadh; Gupta, Anupam; Yun, Chulhee

2406.06467 2024 NeurIPS
How Far Can Transformers Reason? The Globality Barrier and Inductive Scratchpad
Abbe, Emmanuel; Bengio, Samy; Lotfi, Aryo; Sandon, Colin; Saremi, Omid

2407.03310 2025 ICML
Universal Length Generalization with Turing Programs
Hou, Kaiying; Brandfonbrener, David; Kakade, Sham; Jelassi, Samy; Malach, Eran

2407.21783 2024
The Llama 3 Herd of Models
Grattafiori, Aaron; Dubey, Abhimanyu; Jauhri, Abhinav; others

2410.02140 2025 ICLR
A Formal Framework for Understanding Length Generalization in Transformers
Huang, Xinting; Yang, Andy; Bhattamishra, Satwik; Sarrof, Yash; Krebs, Andreas; Zhou, Hattie; Nakkiran, Preetum; Hahn, Michael

2410.04798 2025 ACL
DAPE V2: Process Attention Score as Feature Map for Length Extrapolation
Zheng, Chuanyang; Gao, Yihang; Shi, Han; others

2410.06205 2025 ICLR
Round and Round We Go! What makes Rotary Positional Encodings useful?
Barbero, Federico; Vitvitskyi, Alex; Perivolaropoulos, Christos; Pascanu, Razvan; Veličković, Petar

2410.08898 2025 ICML
Low-Dimension-to-High-Dimension Generalization And Its Implications for Length Generalization
Chen, Yang; Yang, Long; Liang, Yitao; Lin, Zhouchen

2410.15787 2025 ICLR
Arithmetic Transformers Can Length-Generalize in Both Operand Length and Count
Cho, Hanseul; Cha, Jaeyoung; Bhojanapalli, Srinadh; Yun, Chulhee

2410.17980 2025 ICLR
Scaling Stick-Breaking Attention: An Efficient Implementation and In-depth Study
Tan, Shawn; Yang, Songlin; Courville, Aaron; Panda, Rameswar; Shen, Yikang

2411.07107 2025 ICLR
Training Neural Networks as Recognizers of Formal Languages
Butoi, Alexandra; Khalighinejad, Ghazal; Svete, Anej; Valvoda, Josef; Cotterell, Ryan; DuSell, Brian

2501.18795 2025
Rope to Nope and Back Again: A New Hybrid Attention Strategy
Yang, Bowen; Venkitesh, Bharat; Talupuru, Dwarak; Lin, Hangyu; Cairuz, David; Blunsom, Phil; Locatelli, Acyr

2501.19399 2025
Scalable-Softmax Is Superior for Attention
Nakanishi, Ken M.

2502.01612 2025 ICML
Self-Improving Transformers Overcome Easy-to-Hard and Length Generalization Challenges
Lee, Nayoung; Cai, Ziyang; Schwarzschild, Avi; Lee, Kangwook; Papailiopoulos, Dimitris

2502.16792 2025
The Role of Sparsity for Length Generalization in Transformers
Golowich, Noah; Jelassi, Samy; Brandfonbrener, David; Kakade, Sham M.; Malach, Eran

2503.02130 2025 ICLR
Forgetting Transformer: Softmax Attention with a Forget Gate
Lin, Zhixuan; Nikishin, Evgenii; He, Xu Owen; Courville, Aaron

2503.08067 2025 EMNLP
Context-aware Biases for Length Extrapolation
Veisi, Ali; Amirzadeh, Hamidreza; Mansourian, Amir

2505.16381 2025 NeurIPS
PaTH Attention: Position Encoding via Accumulating Householder Transformations
Yang, Songlin; Shen, Yikang; Wen, Kaiyue; Tan, Shawn; Mishra, Mayank; Ren, Liliang; Panda, Rameswar; Kim, Yoon

2505.21785 2025 NeurIPS
Born a Transformer -- Always a Transformer? On the Effect of Pretraining on Architectural Abilities
Veitsman, Yana; Jobanputra, Mayank; Sarrof, Yash; Bakalova, Aleksandra; Demberg, Vera; Pavlick, Ellie; Hahn, Michael

2505.23623 2025 NeurIPS
Characterizing the Expressivity of Fixed-Precision Transformer Language Models
Li, Jiaoda; Cotterell, Ryan

2506.03085 2025 ICML
Non-Asymptotic Length Generalization
Chen, Thomas; Ma, Tengyu; Li, Zhiyuan

2506.16055 2025 NeurIPS
Knee-Deep in C-RASP: A Transformer Depth Hierarchy
Yang, Andy; Cadilhac, Michaël; Chiang, David

2507.13332 2025
The Imitation Game: Turing Machine Imitator is Length Generalizable Reasoner
Hua, Zhouqi; Zhang, Wenwei; Lyu, Chengqi; Gu, Yuzhe; Gao, Songyang; Liu, Kuikun; Lin, Dahua; Chen, Kai

2509.10534 2025
Decoupling the "What" and "Where" With Polar Coordinate Positional Embeddings
Gopalakrishnan, Anand; Csordás, Róbert; Schmidhuber, Jürgen; Mozer, Michael C.

2510.04130 2025
On the Limitations and Capabilities of Position Embeddings for Length Generalization
Chen, Yang; Liang, Yitao; Lin, Zhouchen

2512.12167 2025
Extending the Context of Pretrained LLMs by Dropping Their Positional Embeddings
Gelberg, Yoav; Eguchi, Koshi; Akiba, Takuya; Cetin, Edoardo

2602.14050 2026 EACL
Position Encoding with Random Float Sampling Enhances Length Generalization of Transformers
Shimizu, Atsushi; Taniguchi, Shohei; Matsuo, Yutaka

2602.18333 2026
On the "Induction Bias" in Sequence Models
Ebrahimi, M. Reza; Defferrard, Michaël; Panchal, Sunny; Memisevic, Roland

2603.02238 2026
Length Generalization Bounds for Transformers
Yang, Andy; Bergsträßer, Pascal; Zetzsche, Georg; Chiang, David; Lin, Anthony W.

2603.19954 2026
On the Ability of Transformers to Verify Plans
Sarrof, Yash; Du, Yupei; Stein, Katharina; Koller, Alexander; Thiébaux, Sylvie; Hahn, Michael

2604.25800 2026
Barriers to Universal Reasoning With Transformers (And How to Overcome Them)
Kraus, Oliver; Sarrof, Yash; Yao, Yuekun; Koller, Alexander; Hahn, Michael

2605.00768 2026 ACL
Characterizing the Expressivity of Local Attention in Transformers
Li, Jiaoda; Cotterell, Ryan

2606.24975 2026
Why Do Accumulated Transformations Extrapolate?
Godavarti, Mahesh

2608.11909 2026 COLM
Disentangling the Expressivity of RoPE
Jerad, Selim; Svete, Anej; Li, Jiaoda; Cotterell, Ryan

2608.13433 2026
Algebraic Decomposition Theory for Transformer Length Generalization
Yang, Andy; Veseli, Blerta; Barloy, Corentin; Cadilhac, Michaël; Krebs, Andreas; Paperman, Charles; Straubing, Howard; Hahn, Michael
"""

UNNUMBERED = """
bloc97-2023 2023 https://www.reddit.com/r/LocalLLaMA/comments/14lz7j5/ntkaware_scaled_rope_allows_llama_models_to_have/
NTK-Aware Scaled RoPE allows LLaMA models to have extended (8k+) context size without any fine-tuning and minimal perplexity degradation
bloc97

emozilla-2023 2023 https://www.reddit.com/r/LocalLLaMA/comments/14mrgpr/dynamically_scaled_rope_further_increases/
Dynamically Scaled RoPE further increases performance of long context LLaMA with zero fine-tuning
emozilla

gpt-2 2019 https://cdn.openai.com/better-language-models/language_models_are_unsupervised_multitask_learners.pdf
Language Models are Unsupervised Multitask Learners
Radford, Alec; Wu, Jeffrey; Child, Rewon; Luan, David; Amodei, Dario; Sutskever, Ilya

gpt-j 2021 https://github.com/kingoflolz/mesh-transformer-jax
GPT-J-6B: A 6 Billion Parameter Autoregressive Language Model
Wang, Ben; Komatsuzaki, Aran

x-transformers 2020 https://github.com/lucidrains/x-transformers
x-transformers
Wang, Phil

lengthwise 2026
lengthwise: will a transformer length-generalize, and why?
The lengthwise developers
"""

PHRASES: tuple[tuple[str, str], ...] = (
    # what a citation says, and the key of the work that it means by it
    ("NTK-aware", "bloc97-2023"),
    ("bloc97", "bloc97-2023"),
    ("dynamic NTK", "emozilla-2023"),
    ("emozilla", "emozilla-2023"),
    ("GPT-2", "gpt-2"),
    ("GPT-J", "gpt-j"),
    ("GPT-NeoX", "2204.06745"),
    ("x-transformers", "x-transformers"),
    ("lengthwise", "lengthwise"),
)
